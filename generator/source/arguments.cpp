// Prints the arguments of a kernel.
#include "generator/source/arguments.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace specmv::source {

namespace {
struct Member {
  std::string name, otherwise; // what it is if it is not given; "" if there is no such value
  bool isPointer;
};
} // namespace

// Returns the members of a struct that has no functions.
static std::vector<Member> membersIn(const Declaration &d) {
  std::vector<Member> out;
  size_t at = indexOf(d.tokens, "{");
  const size_t close = closingOf(d.tokens, at);
  for (++at; at < close; ++at) {
    const size_t end = indexOf(d.tokens, ";", at);
    const llvm::ArrayRef<Token> statement = llvm::ArrayRef<Token>(d.tokens).slice(at, end - at);
    at = end;
    if (llvm::any_of(statement, [](const Token &t) { return t == "using"; }))
      continue;
    for (const Tokens &one : splitAtCommas(statement)) {
      size_t behind = 0;
      while (behind < one.size() && !(one[behind] == "=") && !(one[behind] == "["))
        ++behind;
      out.push_back({one[behind - 1].text,
                     behind < one.size() && one[behind] == "="
                         ? trimmedTextOf(llvm::ArrayRef<Token>(one).drop_front(behind + 1))
                         : "",
                     behind > 1 && one[behind - 2] == "*"});
    }
  }
  return out;
}

// The pieces in lines of at most 100 characters behind a text; the others begin under the first.
static std::string filled(const std::string &text, llvm::ArrayRef<std::string> pieces) {
  constexpr size_t kLongestLine = 100, kNarrow = 60;
  std::string out = text;
  const size_t begin = llvm::StringRef(text).rfind('\n') + 1;
  const size_t indent = text.size() - begin > kNarrow ? 6 : text.size() - begin;
  size_t column = text.size() - begin;
  for (const std::string &piece : pieces) {
    if (column > indent && column + piece.size() + 3 > kLongestLine) {
      out = llvm::StringRef(out).rtrim().str() + "\n" + std::string(indent, ' ');
      column = indent;
    }
    const bool isLast = &piece == &pieces.back();
    out += piece + (isLast ? "" : ", ");
    column += piece.size() + 2;
  }
  return out;
}

// A piece as it is in one line.
static std::string lineOf(llvm::ArrayRef<Token> tokens) {
  std::string out;
  for (const Token &token : tokens)
    out += (token.before.empty() || out.empty() ? "" : " ") + token.text;
  return out;
}

// `streamed(array, policy)` as the value of a member of this type.
static std::string givenTo(const Member &member, const std::string &given) {
  llvm::StringRef array = given;
  if (!array.consume_front("streamed(") || !array.consume_back(", policy)"))
    return given;
  return member.isPointer ? array.str() : "{" + array.str() + ", policy}";
}

// `Args{.a = x, .c = z}` -> `Args{x, {}, z}`
static void putInOrder(Tokens &tokens, size_t open, const Declaration &type) {
  const size_t close = closingOf(tokens, open);
  std::map<std::string, std::string> given;
  for (const Tokens &one : splitAtCommas(insideOf(tokens, open)))
    if (one.size() > 3) // . name = value
      given[one[1].text] = lineOf(llvm::ArrayRef<Token>(one).drop_front(3));
  std::vector<std::string> values;
  for (const Member &field : membersIn(type)) {
    if (given.empty())
      break;
    const auto found = given.find(field.name);
    values.push_back(found != given.end()      ? givenTo(field, found->second)
                     : field.otherwise.empty() ? "{}"
                                               : field.otherwise);
    given.erase(field.name);
  }
  size_t begin = open; // of the statement, for the column of the values
  while (begin > 0 && !llvm::StringRef(tokens[begin].before).contains('\n'))
    --begin;
  std::string before = lineOf(llvm::ArrayRef<Token>(tokens).slice(begin, open + 1 - begin));
  const std::string all = filled(tokens[begin].before + before, values);
  Tokens made = tokensOf(all);
  tokens[close].before.clear();
  tokens.erase(tokens.begin() + begin, tokens.begin() + close);
  tokens.insert(tokens.begin() + begin, made.begin(), made.end());
}

void putInOrder(Declaration &kernel, llvm::ArrayRef<Declaration> types) {
  Tokens &tokens = kernel.tokens;
  // `f(\n      Args{` and `const auto a =\n      Args{` become one line.
  for (size_t i = 1; i < tokens.size(); ++i) {
    const auto *const type = llvm::find_if(types, [&](const Declaration &d) {
      return d.kind == Declaration::Kind::type && tokens[i] == d.name &&
             llvm::StringRef(d.name).ends_with("Args");
    });
    if (type == types.end())
      continue;
    tokens[i].before = tokens[i - 1] == "(" ? "" : " ";
    size_t open = i + 1;
    if (open < tokens.size() && tokens[open] == "<")
      open = closingOf(tokens, open) + 1;
    if (open < tokens.size() && tokens[open] == "{") {
      putInOrder(tokens, open, *type);
      break;
    }
  }
  size_t open = indexOf(tokens, "(");
  if (open > 0 && open < tokens.size() && tokens[open - 1] == "__launch_bounds__")
    open = indexOf(tokens, "(", closingOf(tokens, open));
  if (open == 0 || open >= tokens.size())
    return;
  const size_t close = closingOf(tokens, open);
  std::vector<std::string> parameters;
  for (const Tokens &one : splitAtCommas(insideOf(tokens, open)))
    parameters.push_back(lineOf(one));
  const Tokens made = tokensOf(filled("\n" + tokens[open - 1].text + "(", parameters));
  tokens.erase(tokens.begin() + open - 1, tokens.begin() + close);
  tokens.insert(tokens.begin() + open - 1, made.begin(), made.end());
}

} // namespace specmv::source
