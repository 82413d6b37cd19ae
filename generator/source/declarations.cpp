// Splits a source into declarations, and takes elements out of their lists.
#include "generator/source/declarations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace specmv::source {

// --- Declarations --------------------------------------------------------------------------------

// Splits a source into declarations.

size_t Declaration::behindTemplate() const {
  size_t at = 0;
  while (at + 1 < tokens.size() && tokens[at] == "template")
    at = closingOf(tokens, at + 1) + 1;
  return at;
}

std::vector<Tokens> Declaration::templateParameters() const {
  if (!isTemplate())
    return {};
  return splitAtCommas(insideOf(tokens, 1));
}

size_t Declaration::openOfParameters() const {
  for (size_t i = behindTemplate(); i + 1 < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token == "__launch_bounds__" || token == "decltype" || token == "alignas") {
      i = closingOf(tokens, i + 1);
    } else if (token == "operator") {
      return i + 2;
    } else if (token == "<") {
      i = closingOf(tokens, i);
    } else if (token == "(") {
      return i;
    } else if (token == "{" || token == "=" || token == ";") {
      break;
    }
  }
  return tokens.size();
}

static std::set<std::string> wordsOf(llvm::ArrayRef<Token> tokens) {
  std::set<std::string> out;
  for (const Token &token : tokens)
    if (token.isWord())
      out.insert(token.text);
  return out;
}

std::vector<Tokens> Declaration::parameters() const {
  const size_t open = openOfParameters();
  return splitAtCommas(insideOf(tokens, open));
}

std::set<std::string> Declaration::condition() const {
  const llvm::ArrayRef<Token> all = tokens;
  if (kind == Kind::function) {
    const size_t open = openOfParameters(), end = closingOf(all, open);
    return wordsOf(all.slice(open, end - open));
  }
  const size_t name = behindTemplate() + 1;
  if (kind == Kind::type && name + 1 < all.size() && all[name + 1] == "<")
    return wordsOf(all.slice(name + 1, closingOf(all, name + 1) - name));
  return {};
}

static void setName(Declaration &d) {
  const size_t begin = d.behindTemplate();
  const Token &first = d.tokens[begin];
  using Kind = Declaration::Kind;
  if (first == "using" || first == "struct" || first == "class") {
    d.kind = first == "using" ? Kind::alias : Kind::type;
    size_t at = begin + 1;
    if (d.tokens[at] == "alignas")
      at = closingOf(d.tokens, at + 1) + 1;
    d.name = d.tokens[at].text;
    return;
  }
  if (first == "enum") {
    d.kind = Kind::numbers;
    return;
  }
  const size_t open = d.openOfParameters();
  d.kind = llvm::is_contained(llvm::map_range(d.tokens, [](auto &t) { return t.text; }),
                              std::string("__global__"))
               ? Kind::kernel
               : Kind::function;
  if (open >= d.tokens.size() || open == 0)
    return;
  d.name = d.tokens[open - 1].isWord() ? d.tokens[open - 1].text : kOperator;
}

// The index behind the declaration that begins here.
static size_t endOf(llvm::ArrayRef<Token> tokens, size_t begin) {
  for (size_t i = begin; i < tokens.size(); ++i) {
    if (tokens[i] == ";")
      return i + 1;
    if (tokens[i] == "(" || tokens[i] == "[")
      i = closingOf(tokens, i);
    else if (tokens[i] == "{") {
      i = closingOf(tokens, i);
      const bool hasSemicolon = i + 1 < tokens.size() && tokens[i + 1] == ";";
      if (!hasSemicolon)
        return i + 1;
    }
  }
  return tokens.size();
}

static bool hasEmptyLine(const Token &token) {
  return llvm::StringRef(token.before).count('\n') > 1;
}

std::vector<Declaration> declarationsOf(llvm::ArrayRef<Token> tokens) {
  std::vector<Declaration> out;
  Tokens comment;
  for (size_t i = 0; i < tokens.size();) {
    const Token &token = tokens[i];
    if (!comment.empty() && hasEmptyLine(token))
      comment.clear();
    if (token.isComment()) {
      if (!out.empty() && !llvm::StringRef(token.before).contains('\n'))
        out.back().tokens.push_back(token); // behind it on its line
      else
        comment.push_back(token);
      ++i;
    } else if (token == "namespace") {
      i = indexOf(tokens, "{", i) + 1;
      comment.clear();
    } else if (token == "}" || token == ";") {
      ++i;
      // the comment with the namespace's name
      if (i < tokens.size() && tokens[i].isComment() &&
          !llvm::StringRef(tokens[i].before).contains('\n'))
        ++i;
    } else if (token.kind == Token::Kind::directive) {
      ++i;
    } else {
      const size_t end = endOf(tokens, i);
      Declaration d{Declaration::Kind::function, "", std::move(comment), {}};
      d.tokens.assign(tokens.begin() + i, tokens.begin() + end);
      comment.clear();
      d.isNext = !out.empty() && !hasEmptyLine(d.comment.empty() ? token : d.comment[0]);
      setName(d);
      out.push_back(std::move(d));
      i = end;
    }
  }
  return out;
}

// --- Lists ---------------------------------------------------------------------------------------

// Takes parameters, arguments and members out of their lists.

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
