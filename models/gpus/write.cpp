// Replaces values and sources in a GPU model's JSON and prints it, with each number and its source
// on one line.
#include "models/gpus/write.h"

#include "models/base/error.h"
#include "models/gpus/borrow.h"
#include "models/gpus/fields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

namespace specmv {

namespace json = llvm::json;
using llvm::Expected;
using llvm::StringRef;

// The shortest text that reads back to the same bits.
static std::string shortest(double number) {
  char text[32];
  auto *const end = std::to_chars(text, text + sizeof text, number).ptr;
  return {text, end};
}

static bool isNumberOrText(const json::Value &value) {
  return value.getAsNumber() || value.getAsString();
}

// The keys of an object in the order in which readers look for them.
static std::vector<StringRef> keysOf(const json::Object &object) {
  constexpr const char *kFirst[] = {"name", "arch", "value", "source"};
  constexpr const char *kLast[] = {"rates", "setup", kBenchmarksField, kCurvesField};
  const auto place = [&](StringRef key) {
    return llvm::is_contained(kFirst, key) ? 0 : llvm::is_contained(kLast, key) ? 2 : 1;
  };
  const auto given = [&](StringRef key) {
    return llvm::find(kFirst, key) - std::begin(kFirst) + llvm::find(kLast, key) -
           std::begin(kLast);
  };
  std::vector<StringRef> keys;
  for (const auto &member : object)
    keys.push_back(member.first);
  llvm::sort(keys, [&](StringRef a, StringRef b) {
    return std::tuple(place(a), given(a), a) < std::tuple(place(b), given(b), b);
  });
  return keys;
}

static void print(llvm::raw_ostream &out, const json::Value &value, unsigned indent);

// Prints an object that has only numbers and strings on one line, unless it is the model itself.
static void print(llvm::raw_ostream &out, const json::Object &object, unsigned indent) {
  const bool isLine = indent > 0 && llvm::all_of(object, [](const auto &member) {
                        return isNumberOrText(member.second);
                      });
  out << '{';
  const char *separator = "";
  for (const StringRef key : keysOf(object)) {
    out << separator;
    if (!isLine)
      out.write('\n').indent(indent + 2);
    out << json::Value(key) << ": ";
    print(out, *object.get(key), indent + 2);
    separator = isLine ? ", " : ",";
  }
  if (!isLine)
    out.write('\n').indent(indent);
  out << '}';
}

// Prints each element on its own line.
static void print(llvm::raw_ostream &out, const json::Array &array, unsigned indent) {
  out << '[';
  const char *separator = "";
  for (const json::Value &element : array) {
    out << separator;
    out.write('\n').indent(indent + 2);
    print(out, element, indent + 2);
    separator = ",";
  }
  out.write('\n').indent(indent);
  out << ']';
}

static void print(llvm::raw_ostream &out, const json::Value &value, unsigned indent) {
  if (const json::Object *object = value.getAsObject())
    print(out, *object, indent);
  else if (const json::Array *array = value.getAsArray())
    print(out, *array, indent);
  else if (const auto number = value.getAsNumber())
    out << shortest(*number);
  else
    out << value;
}

static std::string printed(const json::Object &model) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(out, model, 0);
  out << '\n';
  return text;
}

// Replaces the name of a lender by the lender's numbers.
static llvm::Error writeOut(json::Object &model, StringRef field) {
  for (auto lender = model.getString(field); lender; lender = model.getString(field)) {
    const BuiltInGpu *known = findBuiltInGpu(*lender); // it exists, since the model was parsed
    auto parsed = json::parse(known->text);
    if (!parsed)
      return parsed.takeError();
    model[field] = *parsed->getAsObject()->get(field); // which may be borrowed too
  }
  return llvm::Error::success();
}

// Returns the object that contains "rates.csr5.tilePasses", and makes objects that are missing.
static json::Object &parentOf(json::Object &model, StringRef path) {
  json::Object *at = &model;
  for (auto [name, rest] = path.split('.'); !rest.empty(); std::tie(name, rest) = rest.split('.')) {
    if (!at->getObject(name))
      (*at)[name.str()] = json::Object(); // LLVM does not copy a key that is a StringRef
    at = at->getObject(name);
  }
  return *at;
}

static void setNumber(json::Object &model, StringRef path, json::Value value,
                      const std::string &source) {
  parentOf(model, path)[path.drop_front(path.rfind('.') + 1).str()] =
      json::Object{{"value", std::move(value)}, {"source", source}};
}

static llvm::Error apply(const GpuChanges &changes, json::Object &model) {
  for (const char *field : {"rates", "setup"})
    if (llvm::Error error = writeOut(model, field))
      return error;
  if (!changes.name.empty())
    model["name"] = changes.name;
  for (const auto &[path, value] : changes.numbers)
    setNumber(model, path, value, changes.source);
  if (changes.benchmarks)
    model[kBenchmarksField] = benchmarksJson(*changes.benchmarks);
  if (changes.curves)
    model[kCurvesField] = curvesJson(*changes.curves);
  return llvm::Error::success();
}

Expected<std::string> changedGpuModel(StringRef base, StringRef origin, const GpuChanges &changes) {
  if (auto model = parseGpuModel(base, origin); !model)
    return model.takeError();
  auto parsed = json::parse(base);
  if (!parsed)
    return parsed.takeError();
  if (llvm::Error error = apply(changes, *parsed->getAsObject()))
    return error;
  std::string text = printed(*parsed->getAsObject());
  if (auto model = parseGpuModel(text, origin); !model)
    return model.takeError();
  return text;
}

std::string gpuModelText(const GpuModel &gpu,
                         llvm::function_ref<std::string(StringRef path)> sourceOf) {
  json::Object model;
  const auto set = [&](const std::string &path, json::Value value) {
    setNumber(model, path, std::move(value), sourceOf(path));
  };
  for (const TextField &field : kTexts)
    model[field.name] = gpu.*field.member;
  for (const NumberField<GpuModel> &field : kReals)
    set(field.name, gpu.*field.member);
  for (const IntegerField &field : kIntegers)
    set(field.name, gpu.*field.member);
  for (const RatesField &field : kRates)
    for (const auto &[name, value] : (gpu.*field.member).all())
      set(field.name + ("." + name), value);
  if (gpu.benchmarks)
    model[kBenchmarksField] = benchmarksJson(*gpu.benchmarks);
  if (gpu.curves)
    model[kCurvesField] = curvesJson(*gpu.curves);
  return printed(model);
}

std::string sourceIn(const json::Object &model, StringRef path) {
  const json::Object *at = &model;
  for (auto [name, rest] = path.split('.'); at && !name.empty();
       std::tie(name, rest) = rest.split('.'))
    at = at->getObject(name);
  return at ? at->getString("source").value_or("").str() : "";
}

} // namespace specmv
