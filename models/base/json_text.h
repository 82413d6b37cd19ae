// JSON that is built as text, for code in which memory may run out, and the depth of JSON that is
// read.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// --- Json text -----------------------------------------------------------------------------------

// JSON that is built directly as text, for code in which memory may run out. A failed allocation
// leaves an llvm::json::Object broken (memory.h), and its destructor then ends the process.

class JsonMembers;

// One value: null, or anything that converts to an llvm::json::Value except an llvm::json::Object.
class JsonText {
public:
  JsonText(std::nullptr_t = nullptr) : text_("null") {}
  template <class T> JsonText(const T &value) : text_(scalar(llvm::json::Value(value))) {}
  template <class T> JsonText(const std::vector<T> &list) : text_("[") {
    for (const T &value : list)
      text_ += (text_.size() > 1 ? "," : "") + JsonText(value).text();
    text_ += "]";
  }
  JsonText(const JsonMembers &members);
  const std::string &text() const { return text_; }

private:
  static std::string scalar(const llvm::json::Value &value);
  std::string text_;
};

// An object. Its members are written in the order of their names, as LLVM does.
class JsonMembers {
public:
  JsonMembers() = default;
  JsonMembers(std::initializer_list<std::pair<const char *, JsonText>> members);
  JsonText &operator[](const std::string &name) { return members_[name]; }
  std::string text() const;
  // For the tool, which adds members of its own.
  operator llvm::json::Object() const;

private:
  std::map<std::string, JsonText> members_;
};

// LLVM finds these by their name when it converts our types to its values.
llvm::json::Value toJSON(const JsonText &value);
llvm::json::Value toJSON(const JsonMembers &members);

// --- Json guard ----------------------------------------------------------------------------------

// Refuses JSON text that would overflow the stack: llvm::json recurses once for each bracket.

// Returns "more than 100 brackets inside one another are too many" if the text nests too deeply to
// be parsed, otherwise "". The JSON that specmv reads nests at most ten deep.
std::string whyTooDeep(llvm::StringRef json);

} // namespace specmv
