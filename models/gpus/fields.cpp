// Checks single fields of a GPU model's JSON.
#include "models/gpus/fields.h"

#include "models/base/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <limits>

namespace specmv {

using llvm::StringRef;

llvm::Expected<double> readNumber(const llvm::json::Value &value, StringRef name,
                                  const NumberRange &range, StringRef origin) {
  // What is no number is in no range.
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
    return fail(Status::badInput, "{0}: field '{1}' is not a text", origin, name);
  if (!llvm::all_of(text, llvm::isPrint))
    return fail(Status::badInput, "{0}: field '{1}' has a character that cannot be printed", origin,
                name);
  return text.str();
}

} // namespace specmv
