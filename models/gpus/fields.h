// Reads single fields of a GPU model's JSON and says which one is at fault.
#pragma once

#include "models/base/error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace specmv {

// What a number may be: far beyond any GPU, and so that no time of the models is infinite.
struct NumberRange {
  double least, most;
};

constexpr NumberRange kGBs{1e-3, 1e9}, kGHz{1e-6, 1e6}, kUsOrNs{1e-9, 1e9}, kTimes{1e-3, 1e6},
    kAnyRate{1e-6, 1e9};

// A number of a JSON object that a struct has as a member.
template <class T> struct NumberField {
  const char *name;
  double T::*member;
  NumberRange range;
};

// Of a field that is there. `name` is what messages call it, "rates.ell.a".
llvm::Expected<double> readNumber(const llvm::json::Value &value, llvm::StringRef name,
                                  const NumberRange &range, llvm::StringRef origin);

// Text that is not empty and can be printed. Null: the field is missing.
llvm::Expected<std::string> readText(const llvm::json::Value *value, llvm::StringRef name,
                                     llvm::StringRef origin);

// An object. Null: the field is missing.
llvm::Expected<const llvm::json::Object *> readObject(const llvm::json::Value *value,
                                                      llvm::StringRef name, llvm::StringRef origin);

// Fails for a member of the object `name` that has none of these names.
llvm::Error refuseOthers(const llvm::json::Object &object, llvm::ArrayRef<llvm::StringRef> names,
                         llvm::StringRef name, llvm::StringRef origin);

// The members of the object `name` that the table lists, of which each must be there.
template <class T, size_t n>
llvm::Error readMembers(const llvm::json::Object &object, const NumberField<T> (&table)[n],
                        llvm::StringRef name, llvm::StringRef origin, T &out) {
  for (const NumberField<T> &number : table) {
    const std::string full = (name + "." + number.name).str();
    const llvm::json::Value *value = object.get(number.name);
    if (!value)
      return fail(Status::badInput, "{0}: field '{1}' is missing", origin, full);
    auto read = readNumber(*value, full, number.range, origin);
    if (!read)
      return read.takeError();
    out.*number.member = *read;
  }
  return llvm::Error::success();
}

// The same of an object that has nothing else.
template <class T, size_t n>
llvm::Error readNumbers(const llvm::json::Object &object, const NumberField<T> (&table)[n],
                        llvm::StringRef name, llvm::StringRef origin, T &out) {
  std::vector<llvm::StringRef> names;
  for (const NumberField<T> &number : table)
    names.emplace_back(number.name);
  if (llvm::Error error = refuseOthers(object, names, name, origin))
    return error;
  return readMembers(object, table, name, origin, out);
}

// What readNumbers() reads back to the bit, but for -0, which becomes 0: JSON's -0 is read as the
// integer 0.
template <class T, size_t n>
llvm::json::Object numbersJson(const T &of, const NumberField<T> (&table)[n]) {
  llvm::json::Object out;
  for (const NumberField<T> &number : table)
    out[number.name] = of.*number.member + 0.0;
  return out;
}

} // namespace specmv
