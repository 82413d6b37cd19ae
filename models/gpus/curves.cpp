// Reads and writes "curves", using tables of the numbers of each point.
#include "models/gpus/curves.h"

#include "models/base/error.h"
#include "models/gpus/fields.h"

#include <iterator>

namespace specmv {

namespace json = llvm::json;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

constexpr NumberRange kSetBytes{1, 0x1p50}, kValueBytes{1, 32}, kLanes{1, 32};

constexpr NumberField<StreamPoint> kStreamNumbers[] = {{"bytes", &StreamPoint::bytes, kSetBytes},
                                                       {"warmGBs", &StreamPoint::warmGBs, kGBs},
                                                       {"coldGBs", &StreamPoint::coldGBs, kGBs}};
constexpr NumberField<GatherPoint> kGatherNumbers[] = {
    {"bytes", &GatherPoint::bytes, kSetBytes},
    {"valueBytes", &GatherPoint::valueBytes, kValueBytes},
    {"together", &GatherPoint::together, kLanes},
    {"sectorGBs", &GatherPoint::sectorGBs, kGBs}};
constexpr NumberField<ChasePoint> kChaseNumbers[] = {{"bytes", &ChasePoint::bytes, kSetBytes},
                                                     {"ns", &ChasePoint::ns, kUsOrNs}};
constexpr NumberField<SharedGatherPoint> kSharedNumbers[] = {
    {"valueBytes", &SharedGatherPoint::valueBytes, kValueBytes},
    {"warpNs", &SharedGatherPoint::warpNs, kUsOrNs}};
constexpr NumberField<Spread> kSpreadNumbers[] = {{"median", &Spread::median, kUsOrNs},
                                                  {"p10", &Spread::p10, kUsOrNs},
                                                  {"p90", &Spread::p90, kUsOrNs}};

constexpr NumberField<Curves> kCurvesNumbers[] = {{"copyGBs", &Curves::copyGBs, kGBs}};

namespace {
struct SpreadField {
  const char *name;
  Spread Curves::*member;
  bool isOptional = false; // zeros if absent
};

// A curve: a list of points.
template <class Point, size_t n> struct CurveField {
  const char *name;
  std::vector<Point> Curves::*member;
  const NumberField<Point> (&numbers)[n];
};
} // namespace

constexpr SpreadField kSpreads[] = {{"periodUs", &Curves::periodUs},
                                    {"roundTripUs", &Curves::roundTripUs},
                                    {"replayPeriodUs", &Curves::replayPeriodUs, true},
                                    {"replayTripUs", &Curves::replayTripUs, true}};

constexpr CurveField<StreamPoint, std::size(kStreamNumbers)> kStreamCurve{"stream", &Curves::stream,
                                                                          kStreamNumbers};
constexpr CurveField<GatherPoint, std::size(kGatherNumbers)> kGatherCurve{"gather", &Curves::gather,
                                                                          kGatherNumbers};
constexpr CurveField<ChasePoint, std::size(kChaseNumbers)> kChaseCurve{"chase", &Curves::chase,
                                                                       kChaseNumbers};
constexpr CurveField<SharedGatherPoint, std::size(kSharedNumbers)> kSharedCurve{
    "shared", &Curves::shared, kSharedNumbers};

// --- Writing

template <class Point, size_t n>
static json::Array pointsJson(const std::vector<Point> &points, const CurveField<Point, n> &curve) {
  json::Array out;
  for (const Point &point : points)
    out.push_back(numbersJson(point, curve.numbers));
  return out;
}

json::Value curvesJson(const Curves &curves) {
  json::Object out = numbersJson(curves, kCurvesNumbers);
  out["source"] = curves.source;
  for (const SpreadField &spread : kSpreads)
    if (!spread.isOptional || curves.*spread.member != Spread())
      out[spread.name] = numbersJson(curves.*spread.member, kSpreadNumbers);
  const auto add = [&](const auto &curve) {
    out[curve.name] = pointsJson(curves.*curve.member, curve);
  };
  add(kStreamCurve), add(kGatherCurve), add(kChaseCurve), add(kSharedCurve);
  return out;
}

// --- Reading

static std::string curveName(StringRef name) {
  return (llvm::Twine(kCurvesField) + "." + name).str();
}

static Error readSpread(const json::Object &fields, const SpreadField &field, StringRef origin,
                        Curves &curves) {
  if (field.isOptional && !fields.get(field.name))
    return Error::success();
  const std::string name = curveName(field.name);
  auto object = readObject(fields.get(field.name), name, origin);
  if (!object)
    return object.takeError();
  Spread &spread = curves.*field.member;
  if (Error error = readNumbers(**object, kSpreadNumbers, name, origin, spread))
    return error;
  if (spread.p10 <= spread.median && spread.median <= spread.p90)
    return Error::success();
  return fail(Status::badInput, "{0}: field '{1}': the median {2} is not in p10 .. p90, {3} .. {4}",
              origin, name, json::Value(spread.median), json::Value(spread.p10),
              json::Value(spread.p90));
}

template <class Point, size_t n>
static Error readCurve(const json::Object &fields, const CurveField<Point, n> &curve,
                       StringRef origin, Curves &curves) {
  const std::string name = curveName(curve.name);
  const json::Array *points = fields.getArray(curve.name);
  if (!points || points->empty())
    return fail(Status::badInput, "{0}: field '{1}' is not a list of points", origin, name);
  for (const json::Value &each : *points) {
    const std::string place = llvm::formatv("{0}[{1}]", name, (curves.*curve.member).size()).str();
    auto object = readObject(&each, place, origin);
    if (!object)
      return object.takeError();
    if (Error error = readNumbers(**object, curve.numbers, place, origin,
                                  (curves.*curve.member).emplace_back()))
      return error;
  }
  return Error::success();
}

template <class Point>
static Error checkAscending(const std::vector<Point> &points, StringRef curve, StringRef origin) {
  for (size_t i = 1; i < points.size(); ++i)
    if (points[i].bytes <= points[i - 1].bytes)
      return fail(Status::badInput,
                  "{0}: field '{1}[{2}].bytes' is {3}, but must be more than the {4} before it",
                  origin, curveName(curve), i, json::Value(points[i].bytes),
                  json::Value(points[i - 1].bytes));
  return Error::success();
}

static Error refuseUnknownCurve(const json::Object &fields, StringRef origin) {
  std::vector<StringRef> names{"source",          "copyGBs",        kStreamCurve.name,
                               kGatherCurve.name, kChaseCurve.name, kSharedCurve.name};
  for (const SpreadField &spread : kSpreads)
    names.emplace_back(spread.name);
  return refuseOthers(fields, names, kCurvesField, origin);
}

static Error readAllCurves(const json::Object &fields, StringRef origin, Curves &out) {
  if (Error error = readMembers(fields, kCurvesNumbers, kCurvesField, origin, out))
    return error;
  for (const SpreadField &spread : kSpreads)
    if (Error error = readSpread(fields, spread, origin, out))
      return error;
  if (Error error = readCurve(fields, kStreamCurve, origin, out))
    return error;
  if (Error error = readCurve(fields, kGatherCurve, origin, out))
    return error;
  if (Error error = readCurve(fields, kChaseCurve, origin, out))
    return error;
  if (Error error = readCurve(fields, kSharedCurve, origin, out))
    return error;
  if (Error error = checkAscending(out.stream, kStreamCurve.name, origin))
    return error;
  return checkAscending(out.chase, kChaseCurve.name, origin);
}

Expected<Curves> readCurves(const json::Value &field, StringRef origin) {
  auto object = readObject(&field, kCurvesField, origin);
  if (!object)
    return object.takeError();
  if (Error error = refuseUnknownCurve(**object, origin))
    return error;
  auto source = readText((*object)->get("source"), curveName("source"), origin);
  if (!source)
    return source.takeError();
  Curves out;
  out.source = std::move(*source);
  if (Error error = readAllCurves(**object, origin, out))
    return error;
  return out;
}

} // namespace specmv
