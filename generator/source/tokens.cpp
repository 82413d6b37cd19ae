// Reads and prints tokens, evaluates constant expressions, and expands macros.
#include "generator/source/tokens.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace specmv::source {

// --- Tokens --------------------------------------------------------------------------------------

// Reads and prints tokens.

static bool isOfWord(char c) { return llvm::isAlnum(c) || c == '_'; }

static size_t lengthOfLine(llvm::StringRef text) { return std::min(text.find('\n'), text.size()); }

// Counts the lines that a backslash continues, too.
static size_t lengthOfDirective(llvm::StringRef text) {
  size_t end = lengthOfLine(text);
  while (end < text.size() && end > 0 && text[end - 1] == '\\')
    end += 1 + lengthOfLine(text.substr(end + 1));
  return end;
}

static size_t lengthOfQuoted(llvm::StringRef text) {
  size_t end = 1;
  while (end < text.size() && text[end] != text[0])
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

static size_t lengthOfPunctuation(llvm::StringRef text) {
  static constexpr llvm::StringLiteral kLong[] = {
      "<<=", "...", "::", "->", "<<", "<=", ">=", "==", "!=", "&&", "||",
      "+=",  "-=",  "*=", "/=", "%=", "|=", "&=", "^=", "++", "--"};
  for (const llvm::StringLiteral one : kLong)
    if (text.starts_with(one))
      return one.size();
  return 1;
}

static std::pair<Token::Kind, size_t> tokenAt(llvm::StringRef text, bool isFirstOfLine) {
  using Kind = Token::Kind;
  if (text.starts_with("//"))
    return {Kind::comment, lengthOfLine(text)};
  if (text.starts_with("/*"))
    return {Kind::comment, std::min(text.find("*/") + 2, text.size())};
  if (text[0] == '#' && isFirstOfLine)
    return {Kind::directive, lengthOfDirective(text)};
  if (text[0] == '"' || text[0] == '\'')
    return {Kind::string, lengthOfQuoted(text)};
  if (llvm::isDigit(text[0]))
    return {Kind::number, text.take_while([](char c) { return isOfWord(c) || c == '.'; }).size()};
  if (isOfWord(text[0]))
    return {Kind::word, text.take_while(isOfWord).size()};
  return {Kind::punctuation, lengthOfPunctuation(text)};
}

Tokens tokensOf(llvm::StringRef source) {
  Tokens out;
  bool isFirstOfLine = true;
  while (true) {
    const llvm::StringRef before = source.take_while(llvm::isSpace);
    source = source.drop_front(before.size());
    if (source.empty())
      return out;
    isFirstOfLine |= before.contains('\n');
    const auto [kind, length] = tokenAt(source, isFirstOfLine);
    out.push_back({kind, source.take_front(length).str(), before.str()});
    source = source.drop_front(length);
    isFirstOfLine = false;
  }
}

std::string textOf(llvm::ArrayRef<Token> tokens) {
  std::string out;
  for (const Token &token : tokens)
    out += token.before + token.text;
  return out;
}

std::string trimmedTextOf(llvm::ArrayRef<Token> tokens) {
  return llvm::StringRef(textOf(tokens)).trim().str();
}

size_t indexOf(llvm::ArrayRef<Token> tokens, llvm::StringRef text, size_t from) {
  while (from < tokens.size() && !(tokens[from] == text))
    ++from;
  return from;
}

static char closerOf(const Token &token) {
  if (token.kind != Token::Kind::punctuation || token.text.size() != 1)
    return 0;
  const size_t which = llvm::StringRef("([{<").find(token.text[0]);
  return which == llvm::StringRef::npos ? 0 : ")]}>"[which];
}

// A comparison in parentheses is no bracket: the parenthesis that closes first ends the search.
size_t closingOf(llvm::ArrayRef<Token> tokens, size_t open) {
  const char wanted = closerOf(tokens[open]);
  for (size_t i = open + 1; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.kind != Token::Kind::punctuation)
      continue;
    if (token.text.size() == 1 && token.text[0] == wanted)
      return i;
    const char closer = closerOf(token);
    if (closer && (closer != '>' || wanted == '>'))
      i = closingOf(tokens, i);
    else if (wanted == '>' && (token == ";" || token == ")" || token == "}"))
      return tokens.size();
  }
  return tokens.size();
}

llvm::ArrayRef<Token> insideOf(llvm::ArrayRef<Token> tokens, size_t open) {
  if (open >= tokens.size())
    return {};
  return tokens.slice(open + 1, closingOf(tokens, open) - open - 1);
}

bool isBalanced(llvm::ArrayRef<Token> tokens) {
  std::string open; // the brackets that are to close
  for (const Token &token : tokens) {
    if (token.kind != Token::Kind::punctuation)
      continue;
    if (const char closer = closerOf(token); closer && closer != '>')
      open += closer;
    else if (token == ")" || token == "]" || token == "}") {
      if (open.empty() || open.back() != token.text[0])
        return false;
      open.pop_back();
    }
  }
  return open.empty();
}

std::vector<Tokens> splitAtCommas(llvm::ArrayRef<Token> tokens) {
  std::vector<Tokens> out;
  if (tokens.empty())
    return out;
  out.emplace_back();
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.isComment() || token.kind == Token::Kind::directive)
      continue;
    if (token == ",") {
      out.emplace_back();
      continue;
    }
    size_t end = i;
    if (closerOf(token)) {
      end = closingOf(tokens, i);
      if (end == tokens.size())
        end = i; // a comparison
    }
    out.back().insert(out.back().end(), tokens.begin() + i, tokens.begin() + end + 1);
    i = end;
  }
  if (out.back().empty()) // behind a last comma
    out.pop_back();
  return out;
}

// --- Constants -----------------------------------------------------------------------------------

// Evaluates expressions by precedence climbing.

namespace {
using Number = std::optional<int64_t>;

struct Operator {
  llvm::StringLiteral text;
  int precedence;
};
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                   {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                   {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
constexpr int kTightest = 11;

class Expression {
public:
  Expression(llvm::ArrayRef<Token> tokens, const Numbers &numbers)
      : tokens_(tokens), numbers_(numbers) {}

  Number value() {
    const Number out = ternary();
    return isWrong_ || at_ != tokens_.size() ? Number() : out;
  }

private:
  llvm::StringRef next(size_t distance = 0) const {
    return at_ + distance < tokens_.size() ? llvm::StringRef(tokens_[at_ + distance].text) : "";
  }
  bool take(llvm::StringRef text) {
    if (next() != text)
      return false;
    ++at_;
    return true;
  }
  Number wrong() {
    isWrong_ = true;
    return {};
  }

  Number ternary() {
    const Number condition = binary(1);
    if (!take("?"))
      return condition;
    const Number yes = ternary();
    if (!take(":"))
      return wrong();
    const Number no = ternary();
    if (!condition)
      return {};
    return *condition ? yes : no;
  }

  // A shift to the right is two tokens.
  const Operator *nextOperator() const {
    const llvm::StringRef text = next() == ">" && next(1) == ">" ? ">>" : next();
    for (const Operator &each : kOperators)
      if (each.text == text)
        return &each;
    return nullptr;
  }

  Number binary(int least) {
    if (least == kTightest)
      return unary();
    Number left = binary(least + 1);
    while (const Operator *which = nextOperator()) {
      if (which->precedence != least)
        break;
      at_ += which->text == ">>" ? 2 : 1;
      const Number right = binary(least + 1);
      left = combined(which->text, left, right);
    }
    return left;
  }

  static Number combined(llvm::StringRef what, Number a, Number b) {
    if (what == "&&" && ((a && !*a) || (b && !*b)))
      return 0;
    if (what == "||" && ((a && *a) || (b && *b)))
      return 1;
    if (!a || !b)
      return {};
    if ((what == "/" || what == "%") && *b == 0)
      return {};
    return what == "||" || what == "&&" ? 1 * (what == "&&")
           : what == "|"                ? *a | *b
           : what == "^"                ? *a ^ *b
           : what == "&"                ? *a & *b
           : what == "=="               ? *a == *b
           : what == "!="               ? *a != *b
           : what == "<"                ? *a < *b
           : what == ">"                ? *a > *b
           : what == "<="               ? *a <= *b
           : what == ">="               ? *a >= *b
           : what == "<<"               ? *a << *b
           : what == ">>"               ? *a >> *b
           : what == "+"                ? *a + *b
           : what == "-"                ? *a - *b
           : what == "*"                ? *a * *b
           : what == "/"                ? *a / *b
                                        : *a % *b;
  }

  Number unary() {
    if (take("-")) {
      const Number of = unary();
      return of ? Number(-*of) : of;
    }
    if (take("!")) {
      const Number of = unary();
      return of ? Number(*of == 0) : of;
    }
    return primary();
  }

  // A call, a cast or a template has no number: its tokens are left, which makes the whole unknown.
  Number primary() {
    if (take("(")) {
      const Number inner = ternary();
      return take(")") ? inner : wrong();
    }
    if (at_ == tokens_.size())
      return wrong();
    const Token &token = tokens_[at_++];
    if (token.kind == Token::Kind::number) {
      int64_t number = 0;
      llvm::StringRef digits = token.text;
      const bool isInteger = !digits.consumeInteger(0, number);
      return isInteger && digits.ltrim("uUlL").empty() ? Number(number) : wrong();
    }
    if (!token.isWord())
      return wrong();
    if ((token == "int" || token == "Int64") && (next() == "(" || next() == "{")) { // a cast
      const llvm::StringRef closer = next() == "(" ? ")" : "}";
      ++at_;
      const Number inner = ternary();
      return take(closer) ? inner : wrong();
    }
    std::string name = token.text;
    while (next() == "::" || next() == ".") {
      name += next().str() + next(1).str();
      at_ += 2;
    }
    if (name == "sizeof" && next() == "(") {
      const size_t end = closingOf(tokens_, at_);
      name += textOf(tokens_.slice(at_, std::min(end + 1, tokens_.size()) - at_));
      at_ = std::min(end + 1, tokens_.size());
    }
    if (name == "true" || name == "false")
      return name == "true";
    skipArguments();
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? Number() : Number(found->second);
  }

  // Skips the arguments of a call or a template, so that `x<3>(y) && false` is read to its end.
  void skipArguments() {
    for (const llvm::StringRef open : {"<", "(", "{", "["})
      if (next() == open)
        if (const size_t end = closingOf(tokens_, at_); end < tokens_.size())
          if (open != "<" ||
              (end + 1 < tokens_.size() && (tokens_[end + 1] == "(" || tokens_[end + 1] == "::")))
            at_ = end + 1;
    while (next() == "::")
      at_ += 2;
  }

  llvm::ArrayRef<Token> tokens_;
  const Numbers &numbers_;
  size_t at_ = 0;
  bool isWrong_ = false;
};
} // namespace

std::optional<int64_t> evaluated(llvm::ArrayRef<Token> expression, const Numbers &numbers) {
  return Expression(expression, numbers).value();
}

// --- Preprocess ----------------------------------------------------------------------------------

// Evaluates conditions on the architecture and expands macros.

int cudaArchOf(llvm::StringRef architecture) {
  int number = 0;
  if (!architecture.consume_front("sm_") || architecture.consumeInteger(10, number))
    return 0;
  return number * 10;
}

// Lines of a body are as far in as those of a declaration.
static void unindent(Tokens &body) {
  constexpr llvm::StringLiteral kIndent = "\n  ";
  for (Token &token : body)
    if (llvm::StringRef(token.before).starts_with(kIndent))
      token.before.erase(1, kIndent.size() - 1);
}

static Macro macroOf(llvm::ArrayRef<Token> definition) {
  Macro out;
  const size_t end = closingOf(definition, 1);
  for (const Tokens &parameter : splitAtCommas(definition.slice(2, end - 2)))
    out.parameters.push_back(parameter[0].text);
  out.body.assign(definition.begin() + end + 1, definition.end());
  unindent(out.body);
  return out;
}

static Tokens expanded(llvm::ArrayRef<Token> tokens, const Macros &macros);

static Tokens expandedMacro(const Macro &macro, const std::vector<Tokens> &arguments,
                            const Macros &macros) {
  Tokens out;
  for (const Token &token : macro.body) {
    const auto found = llvm::find(macro.parameters, token.text);
    if (found == macro.parameters.end()) {
      out.push_back(token);
      continue;
    }
    const Tokens &argument = arguments[found - macro.parameters.begin()];
    const size_t first = out.size();
    out.insert(out.end(), argument.begin(), argument.end());
    out[first].before = token.before;
  }
  return expanded(out, macros);
}

// Adjacent strings become one.
static void append(Tokens &out, const Tokens &more) {
  for (const Token &token : more)
    if (token.kind == Token::Kind::string && !out.empty() &&
        out.back().kind == Token::Kind::string) {
      out.back().text.pop_back();
      out.back().text += token.text.substr(1);
    } else {
      out.push_back(token);
    }
}

static Tokens expanded(llvm::ArrayRef<Token> tokens, const Macros &macros) {
  Tokens out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto found = tokens[i].isWord() ? macros.find(tokens[i].text) : macros.end();
    if (found == macros.end() || i + 1 == tokens.size() || !(tokens[i + 1] == "(")) {
      append(out, {tokens[i]});
      continue;
    }
    const size_t end = closingOf(tokens, i + 1);
    Tokens made =
        expandedMacro(found->second, splitAtCommas(tokens.slice(i + 2, end - i - 2)), macros);
    if (!made.empty())
      made[0].before = tokens[i].before;
    append(out, made);
    i = end;
  }
  return out;
}

namespace {
// A condition whose end has not been reached.
struct Condition {
  bool isTaken;  // its lines are read
  bool wasTaken; // these or those of an earlier branch
};
} // namespace

// Code for the host declares shared memory in a way of its own (templates/shared/device.cuh).
static bool isDefined(const Tokens &words, int arch, const Macros &macros) {
  const bool isOfHost = words[1] == "SPECMV_SHARED_ARRAY" && arch == 0;
  return isOfHost || macros.contains(words[1].text);
}

// Evaluates the condition of an #if or #elif.
static bool holds(const Tokens &words, int arch) {
  Tokens condition;
  for (size_t i = 1; i < words.size(); ++i)
    if (words[i] == "defined") { // which only __CUDA_ARCH__ is asked for
      condition.push_back({Token::Kind::word, arch > 0 ? "true" : "false", " "});
      i += 3;
    } else {
      condition.push_back(words[i]);
    }
  return evaluated(condition, {{"__CUDA_ARCH__", arch}}).value_or(0) != 0;
}

static std::string withoutBackslashes(llvm::StringRef directive) {
  std::string out = directive.str();
  for (size_t at = 0; (at = out.find("\\\n", at)) != std::string::npos; ++at) {
    size_t begin = at;
    while (begin > 0 && out[begin - 1] == ' ')
      --begin;
    out.erase(begin, at + 1 - begin);
    at = begin;
  }
  return out;
}

static void define(const Tokens &words, Macros &macros) {
  macros[words[1].text] = macroOf(llvm::ArrayRef<Token>(words).drop_front());
}

Tokens preprocessed(Tokens tokens, int arch, Macros &macros) {
  Tokens out, pending;
  std::vector<Condition> open;
  const auto isRead = [&] { return llvm::all_of(open, [](auto &c) { return c.isTaken; }); };
  const auto flush = [&] {
    append(out, expanded(pending, macros));
    pending.clear();
  };
  const auto flushWithoutComment = [&] { // which tells of a macro
    while (!pending.empty() && pending.back().isComment())
      pending.pop_back();
    flush();
  };
  for (Token &token : tokens) {
    if (token.kind != Token::Kind::directive) {
      if (isRead())
        pending.push_back(std::move(token));
      continue;
    }
    const Tokens words = tokensOf(withoutBackslashes(llvm::StringRef(token.text).drop_front()));
    const llvm::StringRef what = words[0].text;
    if (what == "if" || what == "ifdef" || what == "ifndef") {
      const bool taken =
          what == "if" ? holds(words, arch) : isDefined(words, arch, macros) == (what == "ifdef");
      open.push_back({taken, taken});
    } else if (what == "elif" || what == "else") {
      Condition &last = open.back();
      last.isTaken = !last.wasTaken && (what == "else" || holds(words, arch));
      last.wasTaken |= last.isTaken;
    } else if (what == "endif") {
      open.pop_back();
    } else if (isRead() && what == "pragma" && words[1] == "unroll") {
      pending.push_back(std::move(token));
    } else if (isRead() && what == "define") {
      flushWithoutComment();
      define(words, macros);
    } else if (isRead() && what == "undef") {
      flush();
      macros.erase(words[1].text);
    }
  }
  flush();
  return out;
}

} // namespace specmv::source
