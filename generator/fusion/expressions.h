// Checks expressions of fused steps and finds their types, so that what is allowed also compiles.
#pragma once

#include "generator/fusion/reader.h"
#include "generator/fusion/scopes.h"

namespace specmv {

class Expressions {
public:
  Expressions(TextReader &in, Scopes &scopes, StepType real)
      : in_(in), scopes_(scopes), real_(real) {}

  StepType expression();
  // The type whose words are next, or nothing if it is auto.
  std::optional<StepType> type();
  // Refuses the next word, which is none that is known here.
  void refuseWord();
  // Refuses % of numbers that are no integers, and divisions of an integer by 0.
  void checkDivision(const Token &sign, StepType left, StepType right, bool isByZero);

private:
  StepType binary(int rank);
  StepType unary();
  StepType primary();
  StepType inBrackets();
  StepType conversion();
  StepType number();
  StepType known(const KnownName &name);
  StepType call(const StepFunction &function);
  bool isCast() const;

  TextReader &in_;
  Scopes &scopes_;
  const StepType real_;
};

} // namespace specmv
