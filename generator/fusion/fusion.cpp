// Checks the names of fused steps, and that they and the texts go together.
#include "generator/fusion/fusion.h"

#include "generator/fusion/text_check.h"
#include "generator/fusion/tokens.h"
#include "generator/fusion/words.h"
#include "models/base/error.h"
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
    if (token.text == name || token.text == "=")
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
      if (const std::string why = whyNotName(name, list.kind); !why.empty())
        return failWith(Status::badCall, why);
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
  for (const std::string &name : f.written) {
    if (!llvm::is_contained(f.vectors, name))
      return fail(Status::badCall, "'{0}' is to be written, but is not among the {1} vectors", name,
                  f.vectors.size());
    if (llvm::count(f.written, name) > 1)
      return fail(Status::badCall, "'{0}' is listed twice among the {1} written vectors", name,
                  f.written.size());
  }
  return llvm::Error::success();
}

static llvm::Error checkWrittenInTexts(const Fusion &f) {
  const std::set<std::string> named = identifiersOf(f.statements), inX = identifiersOf(f.x);
  for (const std::string &name : f.written) {
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

static llvm::Error checkHasX(const Fusion &f) {
  return f.hasProduct() && Tokens(f.x).next().text.empty()
             ? fail(Status::badCall,
                    "x has {0} bytes but no expression; name a vector, or leave it out for a step "
                    "without a product",
                    f.x.size())
             : llvm::Error::success();
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

llvm::Error checkFusion(const Fusion &fusion, ValueType vectors) {
  return inTurn(
      [&] { return checkNotEmpty(fusion); }, [&] { return checkNames(fusion); },
      [&] { return checkWritten(fusion); }, [&] { return checkStatements(fusion, vectors); },
      [&] { return checkExpression(fusion, vectors); }, [&] { return checkHasX(fusion); },
      [&] { return checkVectorsOfX(fusion); }, [&] { return checkWrittenInTexts(fusion); });
}

} // namespace specmv
