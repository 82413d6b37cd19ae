// Reads expressions as C++ does: operators by rank, the left one first.
#include "generator/fusion/expressions.h"

#include "models/base/text.h"
#include "llvm/ADT/SmallVector.h"

namespace specmv {

namespace {
struct BinaryOperator {
  llvm::StringLiteral text;
  int rank;       // higher ones bind first
  bool isLogical; // has a bool
};
} // namespace

static const BinaryOperator *binaryOperatorOf(llvm::StringRef text) {
  static constexpr BinaryOperator kAll[] = {
      {"||", 1, true}, {"&&", 2, true}, {"==", 3, true}, {"!=", 3, true}, {"<", 4, true},
      {"<=", 4, true}, {">", 4, true},  {">=", 4, true}, {"+", 5, false}, {"-", 5, false},
      {"*", 6, false}, {"/", 6, false}, {"%", 6, false}};
  for (const BinaryOperator &one : kAll)
    if (one.text == text)
      return &one;
  return nullptr;
}

StepType Expressions::expression() {
  const StepType condition = binary(1);
  const Token sign = in_.now();
  if (!in_.takeIf("?"))
    return condition;
  in_.countOperator(sign);
  const TextLevel level(in_);
  const StepType yes = expression();
  in_.want(":");
  const StepType no = expression();
  return yes == no ? yes : commonOf(yes, no);
}

void Expressions::checkDivision(const Token &sign, StepType left, StepType right, bool isByZero) {
  const bool hasFloating = isFloating(left) || isFloating(right);
  if (sign.text.starts_with("%") && hasFloating)
    in_.refuse(sign, "'{0}' needs integers; write fmod(a, b) for others", sign.text);
  else if ((sign.text.starts_with("%") || sign.text.starts_with("/")) && !hasFloating && isByZero)
    in_.refuse(sign, "'{0}' divides an integer by 0; write 0.0 for a real number", sign.text);
}

StepType Expressions::binary(int rank) {
  StepType left = unary();
  for (;;) {
    const BinaryOperator *found = binaryOperatorOf(in_.now().text);
    if (!found || found->rank < rank)
      return left;
    const Token sign = in_.take();
    in_.countOperator(sign);
    const TextLevel level(in_);
    const bool isByZero = in_.is("0");
    const StepType right = binary(found->rank + 1);
    checkDivision(sign, left, right, isByZero);
    left = found->isLogical ? StepType::boolean : commonOf(left, right);
  }
}

// (real) is a cast, and (real(a)) is none.
bool Expressions::isCast() const {
  size_t words = 0;
  while (isTypeWord(in_.tokenAt(1 + words).text))
    ++words;
  return in_.is("(") && words > 0 && in_.tokenAt(1 + words).text == ")";
}

StepType Expressions::unary() {
  const TextLevel level(in_, in_.is("+") || in_.is("-") || in_.is("!") || isCast() ? 1 : 0);
  if (in_.takeIf("!")) {
    unary();
    return StepType::boolean;
  }
  if (in_.takeIf("+") || in_.takeIf("-"))
    return commonOf(unary(), StepType::boolean);
  if (!isCast())
    return primary();
  in_.take();
  const std::optional<StepType> to = type();
  in_.want(")");
  unary();
  return to.value_or(real_);
}

// NVRTC takes twice as much for a call as for brackets.
StepType Expressions::inBrackets() {
  const TextLevel level(in_);
  in_.want("(");
  const StepType out = expression();
  in_.want(")");
  return out;
}

std::optional<StepType> Expressions::type() {
  const Token first = in_.take();
  if (first.text == "auto")
    return std::nullopt;
  std::string words = first.text.str();
  while (isTypeWord(in_.now().text))
    words += " " + in_.take().text.str();
  const std::optional<StepType> found = typeNamed(words, real_);
  if (!found)
    in_.refuse(first,
               "'{0}' is not a type of fused steps; write real, double, float, int, long "
               "long, unsigned, bool or auto",
               shortened(words));
  return found.value_or(real_);
}

StepType Expressions::conversion() {
  const TextLevel level(in_);
  const Token word = in_.take();
  const std::optional<StepType> to = typeNamed(word.text, real_);
  inBrackets();
  return to.value_or(real_);
}

StepType Expressions::number() {
  const llvm::StringRef text = in_.take().text;
  int64_t value = 0;
  if (!text.getAsInteger(10, value))
    return value <= INT32_MAX ? StepType::int32 : StepType::otherInteger;
  return text.ends_with_insensitive("f") ? StepType::float32 : StepType::float64;
}

StepType Expressions::known(const KnownName &name) {
  const Token at = in_.take();
  if (!name.whyNot.empty())
    in_.refuse(at, "'{0}' {1}", at.text, name.whyNot);
  else if (in_.is("("))
    in_.refuse(at,
               "'{0}' is a value here and cannot be called; give it another name than the "
               "function's",
               at.text);
  return name.type;
}

StepType Expressions::call(const StepFunction &function) {
  const TextLevel level(in_, 2);
  const Token at = in_.take();
  llvm::SmallVector<StepType, 4> types;
  in_.want("(");
  do
    types.push_back(expression());
  while (in_.takeIf(","));
  in_.want(")");
  if (types.size() != static_cast<size_t>(function.arguments)) {
    in_.refuse(at, "'{0}' has {1} arguments, but takes {2}", at.text, types.size(),
               function.arguments);
    return real_;
  }
  const CallType called = typeOfCall(function, types);
  if (called.whyNot)
    in_.refuse(at, "'{0}' {1}", at.text, called.whyNot);
  return called.type;
}

// Returns a clause that tells what may have been meant.
static std::string hintFor(llvm::StringRef word, std::vector<llvm::StringRef> known) {
  if (word == "INFINITY" || word == "NAN")
    return " (pass such a number as a scalar)";
  for (const StepFunction &function : stepFunctions())
    known.push_back(function.name);
  return meantBy(word, known);
}

void Expressions::refuseWord() {
  in_.refuse(in_.now(),
             "'{0}' is not a name of the step, a variable that is declared before, or a function "
             "of fused steps{1}; see specmv-fused(7)",
             shortened(in_.now().text), hintFor(in_.now().text, scopes_.all()));
}

StepType Expressions::primary() {
  const Token &at = in_.now();
  if (in_.is("("))
    return inBrackets();
  if (at.isNumber())
    return number();
  if (in_.takeIf("true") || in_.takeIf("false"))
    return StepType::boolean;
  if (isTypeWord(at.text) && in_.tokenAt(1).text == "(")
    return conversion();
  if (const KnownName *name = scopes_.find(at.text))
    return known(*name);
  if (const auto function = findStepFunction(at.text))
    return call(*function);
  if (at.isWord() && !isWordOfSteps(at.text))
    refuseWord();
  else
    in_.refuseNow("an expression");
  return real_;
}

} // namespace specmv
