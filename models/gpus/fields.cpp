// Checks fields of a GPU model's JSON, and reads and writes those that are optional.
#include "models/gpus/fields.h"

#include "models/base/error.h"
#include "models/base/text.h"
#include "models/predict/strips/kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <iterator>
#include <limits>
#include <tuple>

namespace specmv {

// --- Fields --------------------------------------------------------------------------------------

// Checks single fields of a GPU model's JSON.

using llvm::StringRef;

llvm::Expected<double> readNumber(const llvm::json::Value &value, StringRef name,
                                  const NumberRange &range, StringRef origin) {
  // NaN, for a value that is not a number, is in no range.
  const double number = value.getAsNumber().value_or(std::numeric_limits<double>::quiet_NaN());
  if (number >= range.least && number <= range.most)
    return number;
  return fail(Status::badInput, "{0}: field '{1}' is {2}, not a number in {3} .. {4}", origin, name,
              value, llvm::format("%g", range.least), llvm::format("%g", range.most));
}

llvm::Expected<std::string> readText(const llvm::json::Value *value, StringRef name,
                                     StringRef origin) {
  if (!value)
    return fail(Status::badInput, "{0}: field '{1}' is missing", origin, name);
  const StringRef text = value->getAsString().value_or("");
  if (text.empty())
    return fail(Status::badInput, "{0}: field '{1}' must be a string that is not empty", origin,
                name);
  if (!llvm::all_of(text, llvm::isPrint))
    return fail(Status::badInput, "{0}: field '{1}' has a character that cannot be printed", origin,
                name);
  return text.str();
}

llvm::Expected<const llvm::json::Object *> readObject(const llvm::json::Value *value,
                                                      StringRef name, StringRef origin) {
  if (!value)
    return fail(Status::badInput, "{0}: field '{1}' is missing", origin, name);
  if (const llvm::json::Object *object = value->getAsObject())
    return object;
  return fail(Status::badInput, "{0}: field '{1}' is not an object", origin, name);
}

llvm::Error refuseOthers(const llvm::json::Object &object, llvm::ArrayRef<StringRef> names,
                         StringRef name, StringRef origin) {
  for (const auto &[key, value] : object)
    if (const StringRef own = key; !llvm::is_contained(names, own))
      return fail(Status::badInput, "{0}: unknown field '{1}.{2}'", origin, name,
                  shownOnOneLine(own));
  return llvm::Error::success();
}

// --- Benchmarks ----------------------------------------------------------------------------------

// Reads and writes the benchmarks of a GPU model, using tables of its numbers.

namespace json = llvm::json;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

constexpr NumberRange kAnyFitted{-kMostFitted, kMostFitted}, kCountFitted{1, 1e18},
    kTimeFitted{1e-9, 1e9};

constexpr NumberField<LineModel> kLineNumbers[] = {
    {"slope", &LineModel::slope, kAnyFitted}, {"intercept", &LineModel::intercept, kAnyFitted}};

constexpr NumberField<PlaneModel> kPlaneNumbers[] = {
    {"x1", &PlaneModel::x1, kCountFitted},
    {"fSlope", &PlaneModel::fSlope, kAnyFitted},
    {"fIntercept", &PlaneModel::fIntercept, kAnyFitted},
    {"eSlope", &PlaneModel::eSlope, kAnyFitted},
    {"eIntercept", &PlaneModel::eIntercept, kAnyFitted}};

constexpr NumberField<RatioLines> kRatioNumbers[] = {
    {"i", &RatioLines::i, kCountFitted}, {"z", &RatioLines::z, kCountFitted},
    {"a", &RatioLines::a, kAnyFitted},   {"b", &RatioLines::b, kAnyFitted},
    {"c", &RatioLines::c, kAnyFitted},   {"d", &RatioLines::d, kAnyFitted},
    {"t1", &RatioLines::t1, kTimeFitted}};

namespace {
struct RegimeField {
  const char *name;
  RatioLines RatioModel::*member;
};
} // namespace

constexpr RegimeField kRegimes[] = {{"upTo1024", &RatioModel::upTo1024},
                                    {"above1024", &RatioModel::above1024}};

// --- Writing

static json::Object modelJson(const LineModel &m) { return numbersJson(m, kLineNumbers); }

static json::Object modelJson(const PlaneModel &m) { return numbersJson(m, kPlaneNumbers); }

static json::Object modelJson(const RatioModel &m) {
  json::Object out;
  for (const RegimeField &regime : kRegimes)
    out[regime.name] = numbersJson(m.*regime.member, kRatioNumbers);
  return out;
}

static std::string benchmarkKey(StripsKernel kernel, RowLaw law, ValueType type) {
  const StripsKernelFacts &facts = factsOf(kernel);
  // Not by formatv: its use for every key would take half of the time of reading a model.
  return (llvm::Twine(nameOf(facts.paper)) + "." + facts.name + "." + nameOf(law) + "." +
          nameOf(type))
      .str();
}

json::Value benchmarksJson(const Benchmarks &benchmarks) {
  json::Object out{{"source", benchmarks.source}};
  for (const Fitted &f : benchmarks.fitted)
    out[benchmarkKey(f.kernel, f.law, f.type)] =
        std::visit([](const auto &m) { return modelJson(m); }, f.model);
  return out;
}

// --- Reading

static Error readRatio(const json::Object &object, StringRef name, StringRef origin,
                       RatioModel &model) {
  if (Error error = refuseOthers(object, {kRegimes[0].name, kRegimes[1].name}, name, origin))
    return error;
  for (const RegimeField &regime : kRegimes) {
    const std::string full = (name + "." + regime.name).str();
    auto lines = readObject(object.get(regime.name), full, origin);
    if (!lines)
      return lines.takeError();
    if (Error error = readNumbers(**lines, kRatioNumbers, full, origin, model.*regime.member))
      return error;
  }
  return Error::success();
}

static Error readModelOf(const json::Object &object, StringRef name, StringRef origin,
                         Fitted &fitted) {
  switch (factsOf(fitted.kernel).form) {
  case StripsForm::line:
    return readNumbers(object, kLineNumbers, name, origin, fitted.model.emplace<LineModel>());
  case StripsForm::plane:
    return readNumbers(object, kPlaneNumbers, name, origin, fitted.model.emplace<PlaneModel>());
  case StripsForm::ratio:
    return readRatio(object, name, origin, fitted.model.emplace<RatioModel>());
  case StripsForm::sum:
    break;
  }
  return fail(Status::badInput,
              "{0}: field '{1}' is not allowed: HYB is priced by the benchmarks of ell and coo",
              origin, name);
}

// Returns the kernel, law and value type that a key names; nullopt for an unknown key.
static std::optional<Fitted> fittedOfKey(StringRef key) {
  for (const StripsKernelFacts &facts : stripsKernels())
    for (const RowLaw law : kRowLaws)
      for (const ValueType type : {ValueType::f32, ValueType::f64})
        if (key == benchmarkKey(facts.kernel, law, type))
          return Fitted{.kernel = facts.kernel, .law = law, .type = type, .model = {}};
  return std::nullopt;
}

static Expected<Fitted> readFitted(StringRef key, const json::Value &value, StringRef origin) {
  const std::string name = (llvm::Twine(kBenchmarksField) + "." + key).str();
  std::optional<Fitted> fitted = fittedOfKey(key);
  if (!fitted)
    return fail(Status::badInput, "{0}: unknown field '{1}'", origin, shownOnOneLine(name));
  auto object = readObject(&value, name, origin);
  if (!object)
    return object.takeError();
  if (Error error = readModelOf(**object, name, origin, *fitted))
    return error;
  return *fitted;
}

Expected<Benchmarks> readBenchmarks(const json::Value &field, StringRef origin) {
  auto object = readObject(&field, kBenchmarksField, origin);
  if (!object)
    return object.takeError();
  constexpr const char *kSource = "source";
  auto source = readText((*object)->get(kSource), "benchmarks.source", origin);
  if (!source)
    return source.takeError();
  Benchmarks out{std::move(*source), {}};
  for (const auto &[key, value] : **object) {
    if (StringRef(key) == kSource)
      continue;
    auto fitted = readFitted(StringRef(key), value, origin);
    if (!fitted)
      return fitted.takeError();
    out.fitted.push_back(*fitted);
  }
  llvm::sort(out.fitted, [](const Fitted &a, const Fitted &b) {
    return std::tuple(a.kernel, a.law, a.type) < std::tuple(b.kernel, b.law, b.type);
  });
  return out;
}

// --- Curves --------------------------------------------------------------------------------------

// Reads and writes "curves", using tables of the numbers of each point.

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
