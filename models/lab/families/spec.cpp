// Splits a SPEC into name, keys and values, and checks its numbers and choices.
#include "models/lab/families/spec.h"

#include "models/base/error.h"
#include "models/base/text.h"

#include "llvm/ADT/SmallVector.h"

#include <cassert>
#include <tuple>

namespace specmv {
static const std::string *findOption(const Spec &spec, llvm::StringRef key) {
  for (const auto &[name, value] : spec.options)
    if (name == key)
      return &value;
  return nullptr;
}

static const SpecKey *findKey(llvm::ArrayRef<SpecKey> keys, llvm::StringRef name) {
  for (const SpecKey &key : keys)
    if (key.name == name)
      return &key;
  return nullptr;
}

static std::string namesOf(llvm::ArrayRef<SpecKey> keys) {
  std::string names;
  for (const SpecKey &key : keys)
    names += (names.empty() ? "" : ", ") + key.name.str();
  return names;
}

// The text of a key: the given value, otherwise its fallback.
static std::string optionText(const Spec &spec, llvm::ArrayRef<SpecKey> keys, const SpecKey &key) {
  if (const std::string *given = findOption(spec, key.name))
    return *given;
  llvm::StringRef alternative, rest = key.fallback;
  for (std::tie(alternative, rest) = rest.split('|'); !rest.empty();
       std::tie(alternative, rest) = rest.split('|'))
    if (const std::string *given = findOption(spec, alternative))
      return *given;
  const SpecKey *other = findKey(keys, alternative);
  return other ? optionText(spec, keys, *other) : alternative.str();
}

static llvm::Error readInteger(const Spec &spec, const SpecKey &key, llvm::StringRef text,
                               int64_t &out) {
  if (!text.getAsInteger(10, out) && out >= key.least && out <= key.most)
    return llvm::Error::success();
  return fail(Status::badCall, "{0}: {1}={2} is not an integer from {3} to {4}", spec.name,
              key.name, text, key.least, key.most);
}

static llvm::Error readRealKey(const Spec &spec, const SpecKey &key, llvm::StringRef text,
                               double &out) {
  const double least = static_cast<double>(key.least), most = static_cast<double>(key.most);
  if (!text.getAsDouble(out) && out >= least && out <= most)
    return llvm::Error::success();
  return fail(Status::badCall, "{0}: {1}={2} is not a number from {3} to {4}", spec.name, key.name,
              text, key.least, key.most);
}

static llvm::Error readChoice(const Spec &spec, const SpecKey &key, llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> choices;
  key.choices.split(choices, '|');
  for (llvm::StringRef choice : choices)
    if (choice == text)
      return llvm::Error::success();
  return fail(Status::badCall, "{0}: {1}={2} is not one of {3}{4}", spec.name, key.name, text,
              key.choices, meantBy(text, choices));
}

static llvm::Error addOption(Spec &spec, llvm::StringRef option) {
  const auto [key, value] = option.split('=');
  if (key.empty() || value.empty())
    return fail(Status::badCall, "{0}: option {1} is \"{2}\", but must have the form key=value",
                spec.name, spec.options.size() + 1, option);
  if (findOption(spec, key))
    return fail(Status::badCall, "{0}: option {1} repeats the key \"{2}\"", spec.name,
                spec.options.size() + 1, key);
  spec.options.emplace_back(key, value);
  return llvm::Error::success();
}

llvm::Expected<Spec> parseSpec(llvm::StringRef text) {
  const size_t colon = text.find(':');
  Spec spec{text.substr(0, colon).str(), {}};
  if (spec.name.empty())
    return fail(Status::badCall, "\"{0}\" has no name before the options; write name:key=value,...",
                text);
  if (colon == llvm::StringRef::npos)
    return spec;
  for (llvm::StringRef rest = text.substr(colon + 1);;) {
    const size_t comma = rest.find(',');
    if (llvm::Error error = addOption(spec, rest.substr(0, comma)))
      return error;
    if (comma == llvm::StringRef::npos)
      return spec;
    rest = rest.substr(comma + 1);
  }
}

const SpecOptions::Value &SpecOptions::at(llvm::StringRef key) const {
  for (const Value &value : values_)
    if (value.key == key)
      return value;
  assert(false && "a family reads only the keys that it declares");
  return values_.front();
}

llvm::Expected<SpecOptions> readOptions(const Spec &spec, llvm::ArrayRef<SpecKey> keys) {
  for (const auto &[name, value] : spec.options)
    if (!findKey(keys, name))
      return fail(Status::badCall, "{0}: unknown key in {1}={2}{3}; the keys are {4}", spec.name,
                  name, value, meantBy(name, namesIn(keys)), namesOf(keys));
  SpecOptions options;
  for (const SpecKey &key : keys) {
    SpecOptions::Value value{key.name, optionText(spec, keys, key),
                             findOption(spec, key.name) != nullptr};
    llvm::Error error = key.kind == KeyKind::integer
                            ? readInteger(spec, key, value.text, value.integer)
                        : key.kind == KeyKind::real ? readRealKey(spec, key, value.text, value.real)
                                                    : readChoice(spec, key, value.text);
    if (error)
      return error;
    options.values_.push_back(std::move(value));
  }
  return options;
}

} // namespace specmv
