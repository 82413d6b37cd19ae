// Reads the JSON of a GPU model, using tables of its fields.
#include "models/gpus/borrow.h"

#include "models/base/error.h"
#include "models/base/json_text.h"
#include "models/base/own_environment.h"
#include "models/base/text.h"
#include "models/gpu.h"
#include "models/gpus/fields.h"
#include "models/predict/setup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace specmv {

namespace json = llvm::json;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

// A number's value, from {"value": ..., "source": "..."}.
static Expected<const json::Value *> valueOf(const json::Value &field, StringRef name,
                                             StringRef origin) {
  const json::Object *object = field.getAsObject();
  if (!object || object->size() != 2 || !object->get("value") || !object->get("source"))
    return fail(Status::badInput, "{0}: field '{1}' is not {{\"value\": ..., \"source\": ...}",
                origin, name);
  if (object->getString("source").value_or("").empty())
    return fail(Status::badInput, "{0}: field '{1}' has no source", origin, name);
  return object->get("value");
}

static Expected<const json::Value *> memberOf(const json::Object &fields, StringRef name,
                                              StringRef origin) {
  const json::Value *field = fields.get(name);
  if (!field)
    return fail(Status::badInput, "{0}: field '{1}' is missing", origin, name);
  return valueOf(*field, name, origin);
}

static Error read(const json::Object &fields, const NumberField<GpuModel> &field, StringRef origin,
                  GpuModel &gpu) {
  Expected<const json::Value *> value = memberOf(fields, field.name, origin);
  if (!value)
    return value.takeError();
  auto number = readNumber(**value, field.name, field.range, origin);
  if (!number)
    return number.takeError();
  gpu.*field.member = *number;
  return Error::success();
}

static Error read(const json::Object &fields, const IntegerField &field, StringRef origin,
                  GpuModel &gpu) {
  Expected<const json::Value *> value = memberOf(fields, field.name, origin);
  if (!value)
    return value.takeError();
  int64_t number = (*value)->getAsInteger().value_or(0);
  if (number < 1 || number > field.max)
    return fail(Status::badInput, "{0}: field '{1}' is {2}, not a whole number in 1 .. {3}", origin,
                field.name, **value, field.max);
  gpu.*field.member = number;
  return Error::success();
}

static Error read(const json::Object &fields, const TextField &field, StringRef origin,
                  GpuModel &gpu) {
  // This text is printed, and it is also a line of the wisdom's key.
  auto text = readText(fields.get(field.name), field.name, origin);
  if (!text)
    return text.takeError();
  gpu.*field.member = std::move(*text);
  return Error::success();
}

// Reads a group of rates, {"tilePasses": {"value": 1, "source": "..."}, ...}: those of one format,
// or those that several formats share.
static Error readGroup(StringRef group, const json::Object &fields, StringRef origin,
                       Rates &rates) {
  for (const auto &[key, field] : fields) {
    std::string name = (group + "." + StringRef(key)).str();
    if (!llvm::all_of(name, llvm::isPrint))
      return fail(Status::badInput, "{0}: a rate of '{1}' has a name that cannot be printed",
                  origin, shownOnOneLine(group));
    Expected<const json::Value *> value = valueOf(field, name, origin);
    if (!value)
      return value.takeError();
    auto number = readNumber(**value, name, kAnyRate, origin);
    if (!number)
      return number.takeError();
    rates.set(name, *number);
  }
  return Error::success();
}

static Error read(const json::Object &fields, const RatesField &field, StringRef origin,
                  GpuModel &gpu) {
  if (const auto borrowed = fields.getString(field.name)) {
    if (const BuiltInGpu *known = findBuiltInGpu(*borrowed); known && origin != known->name) {
      auto lender = parseGpuModel(known->text, known->name);
      if (!lender)
        return lender.takeError();
      gpu.*field.member = std::move((*lender).*field.member);
      if (field.member == &GpuModel::rates)
        gpu.ratesFrom = known->name;
      return Error::success();
    }
    return fail(
        Status::badInput,
        "{0}: field '{1}' borrows from '{2}', which is not another built-in GPU model; choose one "
        "of {3}",
        origin, field.name, shownOnOneLine(*borrowed), llvm::join(gpuModelNames(), ", "));
  }
  if (!fields.get(field.name))
    return fail(Status::badInput, "{0}: field '{1}' is missing", origin, field.name);
  const json::Object *groups = fields.getObject(field.name);
  if (!groups)
    return fail(Status::badInput,
                "{0}: field '{1}' must be an object of rates by format, or the name of a built-in "
                "GPU model whose rates are used (\"h200\")",
                origin, field.name);
  for (const auto &[group, rates] : *groups) {
    const json::Object *own = rates.getAsObject();
    if (!own)
      return fail(Status::badInput,
                  "{0}: the {1} of '{2}' are not an object; to use those of a built-in GPU model, "
                  "write its name: \"{1}\": \"h200\"",
                  origin, field.name, shownOnOneLine(group));
    if (Error error = readGroup(StringRef(group), *own, origin, gpu.*field.member))
      return error;
  }
  return Error::success();
}

template <class Table>
static Error readFields(const json::Object &fields, const Table &table, StringRef origin,
                        GpuModel &gpu) {
  for (const auto &field : table)
    if (Error error = read(fields, field, origin, gpu))
      return error;
  return Error::success();
}

static std::vector<StringRef> knownFields() {
  std::vector<StringRef> names = {kBenchmarksField, kCurvesField};
  for (const std::vector<StringRef> &more :
       {namesIn(kRates), namesIn(kReals), namesIn(kIntegers), namesIn(kTexts)})
    llvm::append_range(names, more);
  return names;
}

static Error refuseUnknown(const json::Object &fields, StringRef origin) {
  const std::vector<StringRef> known = knownFields();
  for (const auto &field : fields)
    if (!llvm::is_contained(known, StringRef(field.first)))
      return fail(Status::badInput, "{0}: unknown field '{1}'{2}", origin,
                  shownOnOneLine(StringRef(field.first)), meantBy(StringRef(field.first), known));
  return Error::success();
}

static Error refuseHostile(StringRef text, StringRef origin) {
  if (Error error = refuseLongGpuModel(text.size(), origin))
    return error;
  if (const std::string why = whyTooDeep(text); !why.empty())
    return fail(Status::badInput, "{0}: {1} for a GPU model", origin, why);
  return Error::success();
}

template <class T, class Reader>
static Error readOptional(const json::Object &fields, const char *name, const Reader &reader,
                          StringRef origin, std::optional<T> &out) {
  const json::Value *field = fields.get(name);
  if (!field)
    return Error::success();
  llvm::Expected<T> read = reader(*field, origin);
  if (!read)
    return read.takeError();
  out = std::move(*read);
  return Error::success();
}

Expected<GpuModel> parseGpuModel(StringRef text, StringRef origin) {
  if (Error error = refuseHostile(text, origin))
    return error;
  const CLocale decimalPoints;
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return fail(Status::badInput, "{0}: {1}", origin, llvm::toString(parsed.takeError()));
  const json::Object *fields = parsed->getAsObject();
  if (!fields)
    return fail(Status::badInput, "{0}: a GPU model must be a JSON object", origin);
  GpuModel gpu;
  if (Error error = refuseUnknown(*fields, origin))
    return error;
  if (Error error = readFields(*fields, kTexts, origin, gpu))
    return error;
  if (Error error = readFields(*fields, kReals, origin, gpu))
    return error;
  if (Error error = readFields(*fields, kIntegers, origin, gpu))
    return error;
  if (Error error = readFields(*fields, kRates, origin, gpu))
    return error;
  if (Error error = readOptional(*fields, kBenchmarksField, readBenchmarks, origin, gpu.benchmarks))
    return error;
  if (Error error = readOptional(*fields, kCurvesField, readCurves, origin, gpu.curves))
    return error;
  if (Error error = checkSetupCosts(gpu.setup, origin))
    return error;
  return gpu;
}

std::string digestOf(const GpuModel &gpu) {
  llvm::SmallString<4096> bytes; // hashed in one call, which is faster
  auto add = [&](const auto &number) {
    bytes.append(StringRef(reinterpret_cast<const char *>(&number), sizeof number));
  };
  for (const NumberField<GpuModel> &field : kReals)
    add(gpu.*field.member);
  for (const IntegerField &field : kIntegers)
    add(gpu.*field.member);
  for (const RatesField &field : kRates)
    for (const auto &[name, value] : (gpu.*field.member).all()) {
      bytes.append(name);
      add(value);
    }
  return llvm::toHex(llvm::BLAKE3::hash<8>(llvm::arrayRefFromStringRef(bytes)), true);
}

} // namespace specmv
