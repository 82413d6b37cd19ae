// Reads and writes the benchmarks of a GPU model, number by number from tables.
#include "models/gpus/benchmarks.h"

#include "models/base/error.h"
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

namespace {
template <class Lines> struct FittedNumber {
  const char *name;
  double Lines::*member;
  NumberRange range = kAnyFitted;
};
} // namespace

constexpr FittedNumber<LineModel> kLineNumbers[] = {{"slope", &LineModel::slope},
                                                    {"intercept", &LineModel::intercept}};

constexpr FittedNumber<PlaneModel> kPlaneNumbers[] = {{"x1", &PlaneModel::x1, kCountFitted},
                                                      {"fSlope", &PlaneModel::fSlope},
                                                      {"fIntercept", &PlaneModel::fIntercept},
                                                      {"eSlope", &PlaneModel::eSlope},
                                                      {"eIntercept", &PlaneModel::eIntercept}};

constexpr FittedNumber<RatioLines> kRatioNumbers[] = {{"i", &RatioLines::i, kCountFitted},
                                                      {"z", &RatioLines::z, kCountFitted},
                                                      {"a", &RatioLines::a},
                                                      {"b", &RatioLines::b},
                                                      {"c", &RatioLines::c},
                                                      {"d", &RatioLines::d},
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

template <class Lines, size_t n>
static json::Object numbersJson(const Lines &lines, const FittedNumber<Lines> (&numbers)[n]) {
  json::Object out;
  for (const auto &number : numbers)
    out[number.name] = lines.*number.member + 0.0; // JSON's -0 is read as the integer 0
  return out;
}

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
  return llvm::formatv("{0}.{1}.{2}.{3}", nameOf(facts.paper), facts.name, nameOf(law),
                       nameOf(type));
}

json::Value benchmarksJson(const Benchmarks &benchmarks) {
  json::Object out{{"source", benchmarks.source}};
  for (const Fitted &f : benchmarks.fitted)
    out[benchmarkKey(f.kernel, f.law, f.type)] =
        std::visit([](const auto &m) { return modelJson(m); }, f.model);
  return out;
}

// --- Reading

template <class Fields> // named like members of the tables
static Error checkNames(const json::Object &object, const Fields &fields, StringRef name,
                        StringRef origin) {
  for (const auto &[key, value] : object) {
    const StringRef own = key;
    if (llvm::none_of(fields, [&](const auto &field) { return own == field.name; }))
      return fail(Status::badInput, "{0}: unknown field '{1}.{2}'", origin, name, own);
  }
  return Error::success();
}

static Expected<const json::Object *> objectOf(const json::Value *value, StringRef name,
                                               StringRef origin) {
  if (!value)
    return fail(Status::badInput, "{0}: field '{1}' is missing", origin, name);
  if (const json::Object *object = value->getAsObject())
    return object;
  return fail(Status::badInput, "{0}: field '{1}' is not an object", origin, name);
}

template <class Lines, size_t n>
static Error readFittedNumbers(const json::Object &object, const FittedNumber<Lines> (&numbers)[n],
                               StringRef name, StringRef origin, Lines &lines) {
  if (Error error = checkNames(object, numbers, name, origin))
    return error;
  for (const auto &number : numbers) {
    const std::string full = (name + "." + number.name).str();
    const json::Value *value = object.get(number.name);
    if (!value)
      return fail(Status::badInput, "{0}: field '{1}' is missing", origin, full);
    auto read = readNumber(*value, full, number.range, origin);
    if (!read)
      return read.takeError();
    lines.*number.member = *read;
  }
  return Error::success();
}

static Error readRatio(const json::Object &object, StringRef name, StringRef origin,
                       RatioModel &model) {
  if (Error error = checkNames(object, kRegimes, name, origin))
    return error;
  for (const RegimeField &regime : kRegimes) {
    const std::string full = (name + "." + regime.name).str();
    auto lines = objectOf(object.get(regime.name), full, origin);
    if (!lines)
      return lines.takeError();
    if (Error error = readFittedNumbers(**lines, kRatioNumbers, full, origin, model.*regime.member))
      return error;
  }
  return Error::success();
}

static Error readModelOf(const json::Object &object, StringRef name, StringRef origin,
                         Fitted &fitted) {
  switch (factsOf(fitted.kernel).form) {
  case StripsForm::line:
    return readFittedNumbers(object, kLineNumbers, name, origin, fitted.model.emplace<LineModel>());
  case StripsForm::plane:
    return readFittedNumbers(object, kPlaneNumbers, name, origin,
                             fitted.model.emplace<PlaneModel>());
  case StripsForm::ratio:
    return readRatio(object, name, origin, fitted.model.emplace<RatioModel>());
  case StripsForm::sum:
    break;
  }
  return fail(Status::badInput,
              "{0}: field '{1}' cannot be: HYB is priced by the benchmarks of ell and coo", origin,
              name);
}

// What the numbers under a key are of.
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
    return fail(Status::badInput, "{0}: unknown field '{1}'", origin, name);
  auto object = objectOf(&value, name, origin);
  if (!object)
    return object.takeError();
  if (Error error = readModelOf(**object, name, origin, *fitted))
    return error;
  return *fitted;
}

Expected<Benchmarks> readBenchmarks(const json::Value &field, StringRef origin) {
  auto object = objectOf(&field, kBenchmarksField, origin);
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
