// Reads and writes the benchmarks of a GPU model, using tables of its numbers.
#include "models/gpus/benchmarks.h"

#include "models/base/error.h"
#include "models/base/shown.h"
#include "models/gpus/fields.h"
#include "models/predict/strips/kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <tuple>

namespace specmv {

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

} // namespace specmv
