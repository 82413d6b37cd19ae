// Takes parameters, arguments and members out of their lists.
#include "generator/source/lists.h"

namespace specmv::source {

void eraseFromList(Tokens &tokens, size_t open, size_t at, size_t count) {
  const auto begin = tokens.begin() + at;
  if (tokens[at + count] == ",") {
    const std::string before = tokens[at].before;
    tokens[at + count + 1].before = before;
    tokens.erase(begin, begin + count + 1);
  } else if (at > open + 1) {
    tokens.erase(begin - 1, begin + count);
  } else {
    tokens.erase(tokens.begin() + open, begin + count + 1);
  }
}

void eraseParameter(Declaration &d, const Tokens &parameter) {
  const size_t end = closingOf(d.tokens, 1);
  for (size_t i = 2; i + parameter.size() <= end; ++i)
    if (std::equal(parameter.begin(), parameter.end(), d.tokens.begin() + i,
                   [](const Token &a, const Token &b) { return a.text == b.text; })) {
      eraseFromList(d.tokens, 1, i, parameter.size());
      break;
    }
  if (!(d.tokens[1] == "<")) {
    d.tokens[1].before = d.tokens[0].before;
    d.tokens.erase(d.tokens.begin());
  }
}

static bool isBehind(const Token &token) {
  return token.isComment() && !llvm::StringRef(token.before).contains('\n');
}

// The index behind the member that begins here: a body ends it as a semicolon does.
static size_t endOfMember(llvm::ArrayRef<Token> tokens, size_t at) {
  bool isFunction = false;
  for (; at < tokens.size() && !(tokens[at] == ";"); ++at) {
    const bool isBody = tokens[at] == "{" && isFunction;
    isFunction |= tokens[at] == "(";
    if (tokens[at] == "(" || tokens[at] == "{" || tokens[at] == "[")
      at = closingOf(tokens, at);
    if (isBody)
      break;
  }
  return at + 1;
}

void eraseMembers(Tokens &type, llvm::function_ref<bool(llvm::ArrayRef<Token> member)> isErased) {
  const size_t open = indexOf(type, "{");
  if (open >= type.size())
    return;
  size_t close = closingOf(type, open);
  for (size_t begin = open + 1, end = 0; begin < close; begin = end) {
    size_t first = begin;
    while (first < close && type[first].isComment())
      ++first;
    end = std::min(endOfMember(type, first), close);
    const bool isGone =
        first < close && isErased(llvm::ArrayRef<Token>(type).slice(first, end - first));
    while (end < close && isBehind(type[end]))
      ++end;
    if (!isGone)
      continue;
    type.erase(type.begin() + begin, type.begin() + end);
    close -= end - begin;
    end = begin;
  }
}

} // namespace specmv::source
