// Writes scalars as LLVM does and assembles the members of objects.
#include "models/base/json_text.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

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

} // namespace specmv
