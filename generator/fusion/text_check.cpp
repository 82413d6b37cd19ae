// Reads statements of fused steps: blocks, conditions, declarations and assignments.
#include "generator/fusion/text_check.h"

#include "generator/fusion/expressions.h"
#include "models/base/error.h"

namespace specmv {

namespace {
class Statements {
public:
  Statements(TextReader &in, Scopes &scopes, StepType real)
      : in_(in), scopes_(scopes), expressions_(in, scopes, real) {}

  void all() {
    while (!in_.isAtEnd())
      if (in_.is("}"))
        in_.refuse(in_.now(), "'}' closes what is not open; remove it");
      else
        statement();
  }

private:
  void statement();
  void block();
  void condition();
  void guarded();
  void declaration();
  void declared(std::optional<StepType> type, bool isConst);
  void changes();
  StepType change();
  StepType value();
  void assignment(const Token &name, const KnownName &target);
  void endStatement();

  TextReader &in_;
  Scopes &scopes_;
  Expressions expressions_;
};
} // namespace

void Statements::statement() {
  in_.beginStatement();
  if (in_.is("{"))
    return block();
  if (in_.takeIf("if"))
    return condition();
  if (in_.takeIf(";"))
    return;
  if (in_.is("const") || in_.is("auto") || isTypeWord(in_.now().text))
    declaration();
  else
    changes();
  endStatement();
}

// The last ; of the text may be missing.
void Statements::endStatement() {
  if (!in_.isAtEnd())
    in_.want(";");
}

void Statements::block() {
  const TextLevel level(in_);
  in_.want("{");
  scopes_.open();
  while (!in_.isAtEnd() && !in_.is("}"))
    statement();
  scopes_.close();
  in_.want("}");
}

void Statements::guarded() {
  const TextLevel level(in_);
  scopes_.open();
  if (in_.isAtEnd())
    in_.refuseNow("a statement");
  else
    statement();
  scopes_.close();
}

void Statements::condition() {
  in_.want("(");
  expressions_.expression();
  in_.want(")");
  guarded();
  if (in_.takeIf("else"))
    guarded();
}

void Statements::declaration() {
  const bool isConst = in_.takeIf("const");
  if (!in_.is("auto") && !isTypeWord(in_.now().text))
    return in_.refuseNow("a type");
  const std::optional<StepType> type = expressions_.type();
  do
    declared(type, isConst);
  while (type && in_.takeIf(",")); // auto is one type for all, so that it declares one
}

void Statements::declared(std::optional<StepType> type, bool isConst) {
  const Token name = in_.take();
  if (!name.isWord())
    return in_.refuse(name, "a name is missing behind the type");
  if (const std::string why = whyNotName(name.text, "variable"); !why.empty())
    return in_.refuse(name, "{0}", why);
  if (scopes_.find(name.text))
    return in_.refuse(name, "'{0}' is declared already; choose another name", name.text);
  scopes_.add({name.text, type.value_or(StepType::boolean),
               isConst ? "is declared const; remove const" : "",
               "has no value yet in its own declaration; use another name"});
  if (in_.takeIf("="))
    type = type ? (expressions_.expression(), type) : expressions_.expression();
  else if (!type || isConst)
    in_.refuseNow("'= VALUE'");
  KnownName &known = *scopes_.find(name.text);
  known.type = type.value_or(StepType::boolean);
  known.whyNot.clear();
}

void Statements::changes() {
  do
    change();
  while (in_.takeIf(","));
}

static bool isStep(llvm::StringRef text) { return text == "++" || text == "--"; }

static bool isAssignmentSign(llvm::StringRef text) {
  return text.ends_with("=") && text != "==" && text != "!=" && text != "<=" && text != ">=";
}

StepType Statements::change() {
  const TextLevel level(in_);
  const Token step = isStep(in_.now().text) ? in_.take() : Token{};
  const KnownName *target = scopes_.find(in_.now().text);
  if (!target) {
    const bool isUnknown =
        in_.now().isWord() && !isWordOfSteps(in_.now().text) && !findStepFunction(in_.now().text);
    isUnknown ? expressions_.refuseWord() : in_.refuseNow("an assignment");
    return StepType::boolean;
  }
  const Token name = in_.take();
  if (!target->whyNot.empty())
    in_.refuse(name, "'{0}' {1}", name.text, target->whyNot);
  if (!target->whyFixed.empty() &&
      (isStep(step.text) || isStep(in_.now().text) || isAssignmentSign(in_.now().text)))
    in_.refuse(name, "'{0}' {1}", name.text, target->whyFixed);
  if (!isStep(step.text) && isAssignmentSign(in_.now().text))
    assignment(name, *target);
  else if (!isStep(step.text) && !isStep(in_.take().text))
    in_.refuse(name, "'{0}' is not assigned to; a statement is an assignment", name.text);
  else if (target->type == StepType::boolean)
    in_.refuse(name, "'{0}' is a bool, which cannot be counted; declare an int", name.text);
  return target->type;
}

void Statements::assignment(const Token & /*name*/, const KnownName &target) {
  const Token sign = in_.take();
  in_.countOperator(sign);
  const bool isByZero = in_.is("0");
  const StepType type = target.type;
  expressions_.checkDivision(sign, type, value(), isByZero);
}

// An assignment may be the value of another one: r = q = ax.
StepType Statements::value() {
  return in_.now().isWord() && isAssignmentSign(in_.tokenAt(1).text) ? change()
                                                                     : expressions_.expression();
}

// --- The names of a step ---

static void addScalars(Scopes &scopes, const Fusion &f, StepType real) {
  for (const auto *list : {&f.scalars, &f.gpuScalars})
    for (const std::string &name : *list)
      scopes.add({name, real, "is a scalar, which a step cannot change; use a sum or a variable"});
}

static Scopes namesOfRows(const Fusion &f, StepType real) {
  Scopes out;
  for (const std::string &name : f.vectors)
    out.add({name, real,
             f.writes(name) ? ""
                            : llvm::formatv("is changed, but is not among the {0} written vectors; "
                                            "list it there",
                                            f.written.size())
                                  .str()});
  addScalars(out, f, real);
  for (const std::string &name : f.sums)
    out.add({name, real});
  out.add({"i", StepType::int64,
           "is the number of the row, which a step cannot change; use a "
           "variable"});
  out.add({"ax", real, "is the value of A x, which a step cannot change; use a variable",
           f.hasProduct() ? ""
                          : "is the value of A x, but x is empty, so that there is no product; "
                            "set x"});
  out.add({"j", StepType::int64, "",
           "is the number of a column; the statements are for a row, whose number is i"});
  return out;
}

static Scopes namesOfColumns(const Fusion &f, StepType real) {
  Scopes out;
  for (const std::string &name : f.vectors)
    out.add({name, real});
  addScalars(out, f, real);
  for (const std::string &name : f.sums)
    out.add({name, real, "", "is a sum, which is not known before the step has run; use a scalar"});
  for (const char *name : {"i", "ax"})
    out.add({name, real, "",
             "belongs to rows; x is computed for columns, and the number of a column is j"});
  out.add({"j", StepType::int64});
  return out;
}

llvm::Error checkStatements(const Fusion &fusion, ValueType vectors) {
  constexpr const char *kWhat = "epilogue";
  return andThen(tokensOf(fusion.statements, kWhat), [&](std::vector<Token> tokens) {
    TextReader in(std::move(tokens), kWhat);
    Scopes scopes = namesOfRows(fusion, realOf(vectors));
    Statements(in, scopes, realOf(vectors)).all();
    return in.takeError();
  });
}

llvm::Error checkExpression(const Fusion &fusion, ValueType vectors) {
  constexpr const char *kWhat = "x";
  return andThen(tokensOf(fusion.x, kWhat), [&](std::vector<Token> tokens) {
    TextReader in(std::move(tokens), kWhat);
    Scopes scopes = namesOfColumns(fusion, realOf(vectors));
    if (!in.isAtEnd()) // no product
      Expressions(in, scopes, realOf(vectors)).expression();
    if (!in.isAtEnd())
      in.refuse(in.now(), "'{0}' is not allowed: it must be one expression", in.now().text);
    return in.takeError();
  });
}

} // namespace specmv
