// Refuses what would let a text leave its place in the source, or keep the compiler busy.
#include "generator/fusion/text_check.h"

#include "generator/fusion/tokens.h"
#include "models/base/error.h"
#include "models/base/in_turn.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace specmv {

// The limits of a text. Derived: with NVRTC 13.0, 60 KiB of "i && i && ..." take 15 s and 14 KiB of
// nested "i ? ax : i ? ax : ..." overflow a stack of 8 MiB, which ends the process. C++ promises
// 256 levels ([implimits]).
constexpr size_t kMostText = 8 << 10, kMostNested = 256;

// Words that could leave the statements of a row, or make a thread wait.
static bool isForbidden(llvm::StringRef word) {
  static constexpr llvm::StringLiteral kWords[] = {
      "for",       "while",    "do",          "goto",     "return",   "switch",   "asm",
      "static",    "extern",   "template",    "struct",   "class",    "union",    "enum",
      "typedef",   "using",    "namespace",   "operator", "new",      "delete",   "throw",
      "try",       "catch",    "friend",      "this",     "co_await", "co_yield", "co_return",
      "constexpr", "volatile", "thread_local"};
  return llvm::is_contained(kWords, word);
}

// Words that reach memory, other threads, or what specmv emits.
static bool isOfKernel(llvm::StringRef word) {
  static constexpr llvm::StringLiteral kWords[] = {"reinterpret_cast",
                                                   "const_cast",
                                                   "malloc",
                                                   "free",
                                                   "memcpy",
                                                   "memset",
                                                   "printf",
                                                   "assert",
                                                   "clock",
                                                   "clock64",
                                                   "threadIdx",
                                                   "blockIdx",
                                                   "blockDim",
                                                   "gridDim",
                                                   "warpSize",
                                                   "run",
                                                   "prefetchRow",
                                                   "valueIf",
                                                   "kSums"};
  return llvm::is_contained(kWords, word) || word.starts_with("atomic") ||
         word.starts_with_insensitive("specmv") || word.starts_with("__");
}

static llvm::Error refuseCharacter(char c, int line, const char *what) {
  return fail(Status::badCall, "{0}, line {1}: the character {2} is not allowed in a fused step",
              what, line,
              llvm::isPrint(c) ? "'" + std::string(1, c) + "'"
                               : "with code " + std::to_string(static_cast<unsigned char>(c)));
}

// A backslash, also as a trigraph, would join lines, so that a comment goes on in the next one.
// Compilers disagree whether other characters begin a new line.
static llvm::Error checkCharacters(llvm::StringRef text, const char *what) {
  int line = 1;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool isSpace =
        c == '\n' || c == '\t' || (c == '\r' && text.substr(at + 1).starts_with("\n"));
    const bool isControl = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (c == '\\' || (isControl && !isSpace))
      return refuseCharacter(c, line, what);
    if (text.substr(at).starts_with("?\?/"))
      return fail(Status::badCall, "{0}, line {1}: '?\?/' is not allowed in a fused step", what,
                  line);
    line += c == '\n';
  }
  return llvm::Error::success();
}

static llvm::Error checkToken(const Token &token, const char *what) {
  const char c = token.text[0];
  if (token.isWord() && isForbidden(token.text))
    return fail(Status::badCall,
                "{0}, line {1}: '{2}' is not allowed: a fused step has assignments, declarations, "
                "conditions and calls of functions, without loops, jumps or types",
                what, token.line, token.text);
  if (token.isWord() && isOfKernel(token.text))
    return fail(
        Status::badCall,
        "{0}, line {1}: '{2}' is not allowed: a fused step uses nothing of the kernel but its "
        "own names, and names that begin with specmv or __ are reserved",
        what, token.line, token.text);
  return llvm::isPrint(c) && !llvm::StringRef("#\"'@$`[]").contains(c)
             ? llvm::Error::success()
             : refuseCharacter(c, token.line, what);
}

// Other spellings of brackets and of # (digraphs and the beginnings of trigraphs) would hide these.
static llvm::Error checkPair(const Token &before, const Token &token, const char *what) {
  static constexpr llvm::StringLiteral kPairs[] = {"<%", "%>", "<:", ":>", "%:", "?\?"};
  if (!token.follows(before))
    return llvm::Error::success();
  const llvm::StringRef pair(before.text.end() - 1, 2);
  return llvm::is_contained(kPairs, pair)
             ? fail(Status::badCall,
                    "{0}, line {1}: '{2}' is not allowed in a fused step; write a space between "
                    "both characters if they are operators",
                    what, token.line, pair)
             : llvm::Error::success();
}

static bool isType(llvm::StringRef word) {
  static constexpr llvm::StringLiteral kTypes[] = {"real",  "double",   "float", "int",  "long",
                                                   "short", "char",     "bool",  "auto", "void",
                                                   "const", "unsigned", "signed"};
  return llvm::is_contained(kTypes, word);
}

// A value has no address here, and there are no pointers: a * behind a type, or where it has no
// left side, makes or follows one. `before` is the token in front.
static llvm::Error checkPointer(const Token &before, const Token &token, bool isPairOfAnds,
                                const char *what) {
  const bool hasLeft =
      !before.text.empty() && (before.text == ")" || llvm::isAlnum(before.text.back()) ||
                               before.text.back() == '_' || before.text == ".");
  const bool isPointer = token.text == "*" && (!hasLeft || isType(before.text));
  if (!isPointer && (token.text != "&" || isPairOfAnds))
    return llvm::Error::success();
  return fail(
      Status::badCall,
      "{0}, line {1}: '{2}' is not allowed here: a fused step has no addresses and no pointers",
      what, token.line, token.text);
}

// Keeps the brackets that are open. A text that closed more than it opened would end the function
// that it is in.
static llvm::Error checkBracket(const Token &token, const char *what, std::string &open) {
  static constexpr llvm::StringLiteral kOpening = "({", kClosing = ")}";
  const char c = token.text[0];
  if (kOpening.contains(c))
    open += kClosing[kOpening.find(c)];
  else if (kClosing.contains(c)) {
    if (open.empty() || open.back() != c)
      return fail(Status::badCall, "{0}, line {1}: '{2}' closes what is not open", what, token.line,
                  c);
    open.pop_back();
  }
  return llvm::Error::success();
}

// Counts a condition (a ? b : c) as one more level, and as one that is never left, since it may go
// on to the end of the text.
static llvm::Error checkNesting(const Token &token, const char *what, size_t open,
                                size_t &conditions) {
  conditions += token.text == "?";
  if (open + conditions <= kMostNested)
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0}, line {1}: {2} brackets are open after {3} conditions; {4} of both together are "
              "the limit",
              what, token.line, open, conditions, kMostNested);
}

// An expression has no semicolon and no comma at its top, which would end it.
static llvm::Error checkTop(const Token &token, const char *what) {
  return token.text == ";" || token.text == ","
             ? fail(Status::badCall,
                    "{0}, line {1}: '{2}' is not allowed: it must be one expression", what,
                    token.line, token.text)
             : llvm::Error::success();
}

// Returns true if the token is one of the two characters of &&.
static bool isAnd(const Token &before, const Token &token, llvm::StringRef text) {
  const auto at = static_cast<size_t>(token.text.data() - text.data());
  return token.text == "&" &&
         ((before.text == "&" && token.follows(before)) || text.substr(at + 1).starts_with("&"));
}

static llvm::Error checkTokens(const std::string &text, const char *what, bool isExpression) {
  std::string open;
  size_t conditions = 0;
  Tokens tokens(text);
  Token before{"", 1};
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next()) {
    if (llvm::Error error = inTurn(
            [&] { return checkPair(before, token, what); }, [&] { return checkToken(token, what); },
            [&] { return checkPointer(before, token, isAnd(before, token, text), what); },
            [&] { return checkBracket(token, what, open); },
            [&] { return checkNesting(token, what, open.size(), conditions); },
            [&] {
              return isExpression && open.empty() ? checkTop(token, what) : llvm::Error::success();
            }))
      return error;
    before = token;
  }
  if (tokens.openComment() > 0)
    return fail(Status::badCall, "{0}, line {1}: the comment that begins here has no end", what,
                tokens.openComment());
  return open.empty() ? llvm::Error::success()
                      : fail(Status::badCall, "{0}, line {1}: '{2}' is missing at the end", what,
                             before.line, open.back());
}

llvm::Error checkText(const std::string &text, const char *what, bool isExpression) {
  if (text.size() > kMostText)
    return fail(Status::badCall, "{0} of {1} bytes exceeds the limit, {2} bytes", what, text.size(),
                kMostText);
  return inTurn([&] { return checkCharacters(text, what); },
                [&] { return checkTokens(text, what, isExpression); });
}

} // namespace specmv
