// Fused steps that tests compile and run with every format.
#pragma once

#include "generator/fusion/fusion.h"

namespace specmv::testing {

// A step of conjugate gradients: p is multiplied; two sums.
inline const Fusion &stepOfProduct() {
  static const Fusion fusion{.x = "p",
                             .statements = "q = ax;\npq += p * q;\nqq += q * q;",
                             .vectors = {"p", "q"},
                             .written = {"q"},
                             .sums = {"pq", "qq"}};
  return fusion;
}

// This step multiplies an expression, has scalars of both kinds, vectors that change in place,
// and a declaration, a condition and a comment.
inline const Fusion &stepOfExpression() {
  static const Fusion fusion{.x = "r + beta * p",
                             .statements = "// the new direction\n"
                                           "const real next = r + beta * p;\n"
                                           "if (i % 2 == 0) { x += alpha * p; } else x -= p;\n"
                                           "pnew = next; q = scale * ax;\n"
                                           "pq += next * ax;",
                             .vectors = {"r", "p", "pnew", "q", "x"},
                             .written = {"pnew", "q", "x"},
                             .scalars = {"alpha", "scale"},
                             .gpuScalars = {"beta"},
                             .sums = {"pq"}};
  return fusion;
}

// No sums, and no vector but the result.
inline const Fusion &stepWithoutSums() {
  static const Fusion fusion{
      .x = "x", .statements = "y = y + ax;", .vectors = {"x", "y"}, .written = {"y"}};
  return fusion;
}

inline std::vector<const Fusion *> fusedSteps() {
  return {&stepOfProduct(), &stepOfExpression(), &stepWithoutSums()};
}

// Statements that name no operand.
inline const Fusion &stepOfSums() {
  static const Fusion fusion{.x = "p",
                             .statements = "aa += ax * ax;\nrows += 1;",
                             .vectors = {"p"},
                             .sums = {"aa", "rows"}};
  return fusion;
}

// Names that the emitted source has, too, for other operands.
inline const Fusion &stepOfHiddenNames() {
  static const Fusion fusion{.x = "vector1",
                             .statements = "vector0 = scalar0 * ax + scalar1;\nsum0 += vector0;",
                             .vectors = {"vector1", "vector0"},
                             .written = {"vector0"},
                             .scalars = {"scalar1", "scalar0"},
                             .sums = {"sum0"}};
  return fusion;
}

inline std::vector<const Fusion *> unusualSteps() { return {&stepOfSums(), &stepOfHiddenNames()}; }

} // namespace specmv::testing
