// Checks the names of fused steps, and that they and the texts go together.
#include "generator/fusion/fusion.h"

#include "generator/fusion/text_check.h"
#include "generator/fusion/tokens.h"
#include "models/base/error.h"
#include "models/base/in_turn.h"
#include "templates/shared/constants.cuh"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace specmv {

int Fusion::multiplied() const {
  const auto at = llvm::find(vectors, x);
  return at == vectors.end() ? -1 : static_cast<int>(at - vectors.begin());
}

bool Fusion::writes(const std::string &vector) const { return llvm::is_contained(written, vector); }

// --- Words of a text ---

std::set<std::string> identifiersOf(const std::string &text) {
  std::set<std::string> out;
  Tokens tokens(text);
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next())
    if (token.isWord())
      out.insert(token.text.str());
  return out;
}

// Returns true if the tokens up to the end of the statement only assign to the name before them.
static bool assignsOnly(Tokens &tokens, llvm::StringRef name) {
  if (tokens.next().text != "=")
    return false;
  for (Token token = tokens.next(); !token.text.empty() && token.text != ";"; token = tokens.next())
    if (token.text == name || token.text == "=") // or it was compared
      return false;
  return true;
}

bool isAssignedFirst(const std::string &statements, const std::string &name) {
  Tokens tokens(statements);
  llvm::StringRef before = ";";
  int depth = 0; // what is in braces may not run
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next()) {
    if (token.text == name)
      return depth == 0 && before == ";" && assignsOnly(tokens, name);
    before = token.text;
    depth += before == "{" ? 1 : before == "}" ? -1 : 0;
  }
  return false;
}

// --- Names ---

constexpr size_t kLongestName = 64;

static bool isKeyword(llvm::StringRef word) {
  static constexpr llvm::StringLiteral kWords[] = {
      "if",    "else",     "for",      "while",  "do",     "return",  "switch", "case",
      "break", "continue", "goto",     "const",  "auto",   "void",    "bool",   "char",
      "short", "int",      "long",     "float",  "double", "true",    "false",  "and",
      "or",    "not",      "xor",      "this",   "new",    "delete",  "class",  "struct",
      "enum",  "union",    "operator", "static", "signed", "unsigned"};
  return llvm::is_contained(kWords, word);
}

static llvm::Error checkName(const std::string &name, const char *kind) {
  static constexpr llvm::StringLiteral kReserved[] = {"i", "j", "ax", "real"};
  const llvm::StringRef n = name;
  Tokens tokens(n);
  if (n.empty())
    return fail(Status::badCall, "a {0} has no name; remove the comma before or behind it", kind);
  if (n.size() > kLongestName)
    return fail(Status::badCall, "the name of a {0} has {1} bytes, more than the limit, {2}", kind,
                n.size(), kLongestName);
  if (isKeyword(n))
    return fail(Status::badCall, "'{0}', the name of a {1}, is a word of C++; choose another name",
                name, kind);
  if (const Token first = tokens.next(); !first.isWord() || first.text != n)
    return fail(Status::badCall, "'{0}' is not a name for a {1}: use letters, digits and _", name,
                kind);
  if (llvm::is_contained(kReserved, n) || n.starts_with_insensitive("specmv") ||
      n.starts_with("__"))
    return fail(
        Status::badCall,
        "'{0}' cannot be the name of a {1}: i, j, ax, real and names that begin with specmv "
        "or two underscores are taken; choose another name",
        name, kind);
  return llvm::Error::success();
}

namespace {
struct StepNames {
  const char *kind;
  const std::vector<std::string> &names;
  size_t most;
};
} // namespace

static llvm::Error checkNames(const Fusion &f) {
  const StepNames lists[] = {{"vector", f.vectors, kStepVectors},
                             {"scalar", f.scalars, kStepScalars},
                             {"scalar", f.gpuScalars, kStepScalars},
                             {"sum", f.sums, kStepSums}};
  if (const size_t scalars = f.scalars.size() + f.gpuScalars.size(); scalars > kStepScalars)
    return fail(
        Status::badCall,
        "{0} scalars are too many for a fused step: with those on the GPU, {1}, the limit is "
        "{2}",
        scalars, f.gpuScalars.size(), int{kStepScalars});
  llvm::StringSet<> seen;
  for (const StepNames &list : lists) {
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

// --- The whole step ---

static bool isOneOf(llvm::StringRef c, llvm::StringRef characters) {
  return c.size() == 1 && characters.contains(c[0]);
}

// Returns true if the two tokens behind a name assign to it: = but not ==, +=, ++ and the like.
static bool assigns(const Token &first, const Token &second) {
  const bool isPair = second.follows(first);
  if (first.text == "=")
    return !(isPair && second.text == "=");
  return isPair && ((isOneOf(first.text, "+-*/%|^") && second.text == "=") ||
                    (isOneOf(first.text, "+-") && second.text == first.text));
}

// The compiler would only say that something cannot be modified.
static llvm::Error checkAssigned(const Fusion &f) {
  Tokens tokens(f.statements);
  Token name = tokens.next(), first = tokens.next(), second = tokens.next();
  for (; !name.text.empty(); name = first, first = second, second = tokens.next()) {
    const std::string word = name.text.str();
    if (!name.isWord() || !assigns(first, second))
      continue;
    if (llvm::is_contained(f.vectors, word) && !f.writes(word))
      return fail(Status::badCall,
                  "epilogue, line {0}: '{1}' is changed, but is not among the {2} written vectors; "
                  "list it there",
                  name.line, word, f.written.size());
    if (llvm::is_contained(f.scalars, word) || llvm::is_contained(f.gpuScalars, word))
      return fail(
          Status::badCall,
          "epilogue, line {0}: '{1}' is a scalar, which a step cannot change; use a sum or a "
          "variable",
          name.line, word);
  }
  return llvm::Error::success();
}

static llvm::Error checkAx(const Fusion &f) {
  return !f.hasProduct() && identifiersOf(f.statements).contains("ax")
             ? fail(Status::badCall,
                    "the statements name ax, but x has {0} bytes, so that there is no product; set "
                    "x",
                    f.x.size())
             : llvm::Error::success();
}

// Numbers of rows are those of the statements. In x, the column is j.
static llvm::Error checkX(const Fusion &f) {
  if (!f.hasProduct())
    return llvm::Error::success();
  if (Tokens(f.x).next().text.empty())
    return fail(Status::badCall,
                "x has {0} bytes but no expression; name a vector, or leave it out for a step "
                "without a product",
                f.x.size());
  const std::set<std::string> named = identifiersOf(f.x);
  for (const std::string &sum : f.sums)
    if (named.contains(sum))
      return fail(
          Status::badCall,
          "x = '{0}' names the sum '{1}', which is not known before the step has run; use a "
          "scalar",
          f.x, sum);
  for (const char *name : {"i", "ax"})
    if (named.contains(name))
      return fail(Status::badCall,
                  "x = '{0}' names {1}, which belongs to rows; x is computed for columns, and the "
                  "number of a column is j",
                  f.x, name);
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
                [&] { return checkText(fusion.x, "x", true); }, [&] { return checkX(fusion); },
                [&] { return checkAx(fusion); }, [&] { return checkVectorsOfX(fusion); },
                [&] { return checkWritten(fusion); }, [&] { return checkAssigned(fusion); });
}

} // namespace specmv
