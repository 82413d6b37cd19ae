// JSON that is built where memory may run out, as text from the start. An llvm::json::Object is
// left broken by an allocation that fails (memory.h), so that its destructor ends the process.
#pragma once

#include "llvm/Support/JSON.h"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

class JsonMembers;

// One value: null, or what an llvm::json::Value can be made of, but no llvm::json::Object.
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

// An object, whose members are written in the order of their names, as LLVM does.
class JsonMembers {
public:
  JsonMembers() = default;
  JsonMembers(std::initializer_list<std::pair<const char *, JsonText>> members);
  JsonText &operator[](const std::string &name) { return members_[name]; }
  std::string text() const;
  // For the tool, which adds to them.
  operator llvm::json::Object() const;

private:
  std::map<std::string, JsonText> members_;
};

// By these LLVM makes its values of ours.
llvm::json::Value toJSON(const JsonText &value);
llvm::json::Value toJSON(const JsonMembers &members);

} // namespace specmv
