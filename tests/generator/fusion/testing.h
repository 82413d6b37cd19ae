// Fused steps to be changed by tests, and why a step is refused.
#pragma once

#include "generator/fusion/fusion.h"
#include "models/base/error.h"

#include <doctest/doctest.h>

namespace specmv::testing {

// q = A p.
inline Fusion plainStep() {
  return {.x = "p", .statements = "q = ax;", .vectors = {"p", "q"}, .written = {"q"}};
}

// Why a step is refused; "" if it is not.
inline std::string whyNot(const Fusion &fusion, ValueType vectors = ValueType::f64) {
  llvm::Error error = checkFusion(fusion, vectors);
  if (!error)
    return "";
  auto [status, sentence] = describe(std::move(error));
  CHECK((status == Status::badCall));
  return sentence;
}

// Why statements are refused that have the scalar a and the sum s, too; "" if they are not.
inline std::string refusalOf(const std::string &statements, ValueType vectors = ValueType::f64) {
  Fusion fusion = plainStep();
  fusion.statements = statements;
  fusion.scalars = {"a"};
  fusion.sums = {"s"};
  return whyNot(fusion, vectors);
}

inline std::string refusalOfX(const std::string &x) {
  Fusion fusion = plainStep();
  fusion.x = x;
  fusion.statements += " s += 1;";
  fusion.sums = {"s"};
  return whyNot(fusion);
}

inline std::string times(int count, const std::string &text) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += text;
  return out;
}

// An error of the second line, which begins with what is at fault.
inline std::string onLine2(const std::string &sentence, int column = 1) {
  return "epilogue, line 2, column " + std::to_string(column) + ": " + sentence;
}

} // namespace specmv::testing
