// Checks single fields of a GPU model's JSON.
#include "models/gpus/fields.h"

#include "models/base/shown.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <limits>

namespace specmv {

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

} // namespace specmv
