// Reads single fields of a GPU model's JSON and reports the one at fault.
#pragma once

#include "models/base/error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace specmv {

// The allowed values of a number: wide enough for any GPU, narrow enough that no time becomes
// infinite.
struct NumberRange {
  double least, most;
};

constexpr NumberRange kGBs{1e-3, 1e9}, kGHz{1e-6, 1e6}, kUsOrNs{1e-9, 1e9}, kTimes{1e-3, 1e6},
    kAnyRate{1e-6, 1e9};

// A number of a JSON object that is stored in a member of a struct.
template <class T> struct NumberField {
  const char *name;
  double T::*member;
  NumberRange range;
};

// Reads the value of a field. `name` is its name in messages, such as "rates.ell.a".
llvm::Expected<double> readNumber(const llvm::json::Value &value, llvm::StringRef name,
                                  const NumberRange &range, llvm::StringRef origin);

// Reads a string that is not empty and is printable. A null `value` means that the field is
// missing.
llvm::Expected<std::string> readText(const llvm::json::Value *value, llvm::StringRef name,
                                     llvm::StringRef origin);

// Reads an object. A null `value` means that the field is missing.
llvm::Expected<const llvm::json::Object *> readObject(const llvm::json::Value *value,
                                                      llvm::StringRef name, llvm::StringRef origin);

// Fails if the object `name` has a member that is not in `names`.
llvm::Error refuseOthers(const llvm::json::Object &object, llvm::ArrayRef<llvm::StringRef> names,
                         llvm::StringRef name, llvm::StringRef origin);

// Reads the members that the table lists from the object `name`. Each must be present.
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

// Like readMembers(), but fails if the object has any other member.
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

// readNumbers() reads this object back to the same bits, except that -0 becomes 0: JSON's -0 is
// read as the integer 0.
template <class T, size_t n>
llvm::json::Object numbersJson(const T &of, const NumberField<T> (&table)[n]) {
  llvm::json::Object out;
  for (const NumberField<T> &number : table)
    out[number.name] = of.*number.member + 0.0;
  return out;
}

} // namespace specmv
