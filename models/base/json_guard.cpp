// Counts the brackets of JSON text before it is parsed.
#include "models/base/json_guard.h"

namespace specmv {

std::string whyTooDeep(llvm::StringRef json) {
  constexpr size_t kMaxBrackets = 1000;
  const size_t brackets = json.count('[') + json.count('{');
  return brackets > kMaxBrackets ? std::to_string(brackets) + " brackets are too many" : "";
}

} // namespace specmv
