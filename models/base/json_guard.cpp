// Measures how deeply JSON text nests before it is parsed.
#include "models/base/json_guard.h"

namespace specmv {

std::string whyTooDeep(llvm::StringRef json) {
  constexpr int kMostInside = 100;
  int open = 0;
  bool isInString = false;
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"')
      isInString = !isInString;
    else if (isInString) {
      if (c == '\\')
        ++at; // skips an escaped quote, which does not end the string
    } else if (c == '[' || c == '{')
      ++open;
    else if (c == ']' || c == '}')
      --open;
    if (open > kMostInside)
      return "more than " + std::to_string(kMostInside) +
             " brackets inside one another are too many";
  }
  return "";
}

} // namespace specmv
