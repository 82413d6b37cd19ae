// Writes scalars as LLVM does, assembles the members of objects, and measures how deeply text
// nests.
#include "models/base/json_text.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// --- Json text -----------------------------------------------------------------------------------

// Writes scalars as LLVM does and assembles the members of objects.

std::string JsonText::scalar(const llvm::json::Value &value) { return llvm::formatv("{0}", value); }

JsonText::JsonText(const JsonMembers &members) : text_(members.text()) {}

JsonMembers::JsonMembers(std::initializer_list<std::pair<const char *, JsonText>> members) {
  for (const auto &[name, value] : members)
    members_.emplace(name, value);
}

std::string JsonMembers::text() const {
  std::string out = "{";
  for (const auto &[name, value] : members_)
    out += (out.size() > 1 ? "," : "") + JsonText(name).text() + ":" + value.text();
  return out + "}";
}

llvm::json::Value toJSON(const JsonText &value) {
  return llvm::cantFail(llvm::json::parse(value.text()));
}

llvm::json::Value toJSON(const JsonMembers &members) { return toJSON(JsonText(members)); }

JsonMembers::operator llvm::json::Object() const { return std::move(*toJSON(*this).getAsObject()); }

// --- Json guard ----------------------------------------------------------------------------------

// Measures how deeply JSON text nests before it is parsed.

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
