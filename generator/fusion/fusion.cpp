// Checks the names and texts of fused steps, so that a text can only be what it should be: a list
// of statements without loops or jumps, or an expression.
#include "generator/fusion/fusion.h"

#include "models/base/error.h"
#include "models/base/in_turn.h"
#include "templates/shared/constants.cuh"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace specmv {

int Fusion::multiplied() const {
  const auto at = llvm::find(vectors, x);
  return at == vectors.end() ? -1 : static_cast<int>(at - vectors.begin());
}

bool Fusion::writes(const std::string &vector) const { return llvm::is_contained(written, vector); }

// --- Words of a text ---

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isInWord(char c) { return llvm::isAlnum(c) || c == '_'; }

namespace {
// A piece of a text: a word, a number, or one character. Comments and spaces are none.
struct Token {
  llvm::StringRef text;
  int line;
  bool isWord() const { return isWordStart(text[0]); }
};

class Tokens {
public:
  explicit Tokens(llvm::StringRef text) : rest_(text) {}

  // Returns the next token; its text is empty at the end.
  Token next() {
    skipSpace();
    size_t length = rest_.empty() ? 0 : 1;
    if (length > 0 && isInWord(rest_[0]))
      length = std::min(rest_.find_if_not(isInWord), rest_.size());
    return {take(length), line_};
  }

private:
  llvm::StringRef take(size_t length) {
    const llvm::StringRef out = rest_.take_front(length);
    line_ += static_cast<int>(out.count('\n'));
    rest_ = rest_.drop_front(out.size());
    return out;
  }
  void skipSpace() {
    while (!rest_.empty()) {
      if (llvm::isSpace(rest_[0]))
        take(1);
      else if (rest_.starts_with("//"))
        take(rest_.find('\n'));
      else if (rest_.starts_with("/*"))
        take(std::max(rest_.find("*/"), rest_.find("*/") + 2));
      else
        return;
    }
  }

  llvm::StringRef rest_;
  int line_ = 1;
};
} // namespace

std::set<std::string> identifiersOf(const std::string &text) {
  std::set<std::string> out;
  Tokens tokens(text);
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next())
    if (token.isWord())
      out.insert(token.text.str());
  return out;
}

bool isAssignedFirst(const std::string &statements, const std::string &name) {
  Tokens tokens(statements);
  llvm::StringRef before;
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next()) {
    if (token.text != name) {
      before = token.text;
      continue;
    }
    if (!(before.empty() || before == ";") || tokens.next().text != "=")
      return false;
    for (token = tokens.next(); !token.text.empty() && token.text != ";"; token = tokens.next())
      if (token.text == name || token.text == "=") // or it was compared
        return false;
    return true;
  }
  return false;
}

// --- Names ---

static llvm::Error checkName(const std::string &name, const char *kind) {
  static constexpr llvm::StringLiteral kReserved[] = {"i", "j", "ax", "real"};
  const llvm::StringRef n = name;
  if (n.empty() || !isWordStart(n[0]) || !llvm::all_of(n, isInWord))
    return fail(Status::badCall, "'{0}' is not a name for a {1}: use letters, digits and _", name,
                kind);
  if (llvm::is_contained(kReserved, n) || n.starts_with("specmv") || n.starts_with("__"))
    return fail(
        Status::badCall,
        "'{0}' cannot be the name of a {1}: i, j, ax, real and names that begin with specmv "
        "or two underscores are taken; choose another name",
        name, kind);
  return llvm::Error::success();
}

namespace {
struct Names {
  const char *kind;
  const std::vector<std::string> &names;
  size_t most;
};
} // namespace

static llvm::Error checkNames(const Fusion &f) {
  const Names lists[] = {
      {"vector", f.vectors, kStepVectors},
      {"scalar", f.scalars, kStepScalars},
      {"scalar", f.gpuScalars, kStepScalars - std::min<size_t>(f.scalars.size(), kStepScalars)},
      {"sum", f.sums, kStepSums}};
  llvm::StringSet<> seen;
  for (const Names &list : lists) {
    if (list.names.size() > list.most)
      return fail(Status::badCall, "{0} {1}s are too many for a fused step: {2} are allowed here",
                  list.names.size(), list.kind, list.most);
    for (const std::string &name : list.names) {
      if (llvm::Error error = checkName(name, list.kind))
        return error;
      if (!seen.insert(name).second)
        return fail(Status::badCall, "'{0}' is named twice in a fused step; names must differ",
                    name);
    }
  }
  return llvm::Error::success();
}

static llvm::Error checkWritten(const Fusion &f) {
  if (f.written.size() > kStepWritten)
    return fail(Status::badCall,
                "{0} written vectors are too many for a fused step: {1} are allowed",
                f.written.size(), int{kStepWritten});
  const std::set<std::string> named = identifiersOf(f.statements), inX = identifiersOf(f.x);
  for (const std::string &name : f.written) {
    if (!llvm::is_contained(f.vectors, name))
      return fail(Status::badCall, "'{0}' is to be written, but is not among the {1} vectors", name,
                  f.vectors.size());
    if (llvm::count(f.written, name) > 1)
      return fail(Status::badCall, "'{0}' is listed twice among the {1} written vectors", name,
                  f.written.size());
    if (!named.contains(name))
      return fail(
          Status::badCall,
          "'{0}' is to be written, but the statements never name it; remove it from the {1} "
          "written vectors",
          name, f.written.size());
    if (inX.contains(name))
      return fail(
          Status::badCall,
          "'{0}' is to be written, but the product multiplies it (x: '{1}'): other rows still "
          "read it; write another vector",
          name, f.x);
  }
  return llvm::Error::success();
}

// --- Texts ---

constexpr size_t kMostText = 64 << 10;

// Words that could leave the statements of a row, or make a thread wait.
static bool isForbidden(llvm::StringRef word) {
  static constexpr llvm::StringLiteral kWords[] = {
      "for",     "while",  "do",        "goto",         "return",   "switch",   "asm",      "__asm",
      "__asm__", "static", "extern",    "template",     "struct",   "class",    "union",    "enum",
      "typedef", "using",  "namespace", "operator",     "new",      "delete",   "throw",    "try",
      "catch",   "friend", "this",      "thread_local", "co_await", "co_yield", "co_return"};
  return llvm::is_contained(kWords, word) || word.starts_with("specmv") || word.starts_with("__");
}

static llvm::Error checkToken(const Token &token, const char *what) {
  const char c = token.text[0];
  if (token.isWord() && isForbidden(token.text))
    return fail(Status::badCall,
                "{0}, line {1}: '{2}' is not allowed: a fused step has assignments, declarations, "
                "conditions and calls of functions, without loops, jumps or types",
                what, token.line, token.text);
  if (llvm::isPrint(c) && !llvm::StringRef("#\"'\\@$`").contains(c))
    return llvm::Error::success();
  return fail(Status::badCall, "{0}, line {1}: the character {2} is not allowed in a fused step",
              what, token.line,
              llvm::isPrint(c) ? "'" + std::string(1, c) + "'"
                               : "with code " + std::to_string(static_cast<unsigned char>(c)));
}

// Keeps the brackets that are open. A text that closed more than it opened would end the function
// that it is in.
static llvm::Error checkBracket(const Token &token, const char *what, std::string &open) {
  static constexpr llvm::StringLiteral kOpening = "([{", kClosing = ")]}";
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

// An expression has no semicolon and no comma at its top, which would end it.
static llvm::Error checkText(const std::string &text, const char *what, bool isExpression) {
  if (text.size() > kMostText)
    return fail(Status::badCall, "{0} of {1} bytes exceeds the limit, {2} bytes", what, text.size(),
                kMostText);
  std::string open;
  Tokens tokens(text);
  char before = 0;
  int line = 1;
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next()) {
    const char c = token.text[0];
    line = token.line;
    if (before == '%' && c == ':')
      return fail(Status::badCall, "{0}, line {1}: '%:' is not allowed in a fused step", what,
                  token.line);
    if (llvm::Error error = inTurn([&] { return checkToken(token, what); },
                                   [&] { return checkBracket(token, what, open); }))
      return error;
    if (isExpression && open.empty() && (c == ';' || c == ','))
      return fail(Status::badCall, "{0}, line {1}: '{2}' is not allowed: it must be one expression",
                  what, token.line, c);
    before = c;
  }
  if (!open.empty())
    return fail(Status::badCall, "{0}, line {1}: '{2}' is missing at the end", what, line,
                open.back());
  return llvm::Error::success();
}

// A step of its own may compute x, which needs a place for its result.
static llvm::Error checkVectorsOfX(const Fusion &f) {
  const std::set<std::string> named = identifiersOf(f.x);
  const auto count = llvm::count_if(f.vectors, [&](const auto &v) { return named.contains(v); });
  if (count < kStepVectors)
    return llvm::Error::success();
  return fail(Status::badCall, "x names {0} vectors, more than the limit, {1}", count,
              kStepVectors - 1);
}

static llvm::Error checkNotEmpty(const Fusion &f) {
  if (!f.statements.empty() && !(f.written.empty() && f.sums.empty()))
    return llvm::Error::success();
  return fail(
      Status::badCall,
      "a fused step must have statements (it has {0} bytes) that write a vector or add to a "
      "sum (it has {1} and {2})",
      f.statements.size(), f.written.size(), f.sums.size());
}

llvm::Error checkFusion(const Fusion &fusion) {
  return inTurn([&] { return checkNotEmpty(fusion); }, [&] { return checkNames(fusion); },
                [&] { return checkText(fusion.statements, "epilogue", false); },
                [&] { return checkText(fusion.x, "x", true); },
                [&] { return checkVectorsOfX(fusion); }, [&] { return checkWritten(fusion); });
}

} // namespace specmv
