// What a kernel for y = alpha A x + beta y must know besides the matrix: the type, and about beta.
#pragma once

#include "models/csr.h"

namespace specmv {

struct Problem {
  ValueType type = ValueType::f64; // of A, x, y, alpha and beta
  // False is a promise that beta is 0 in every product; the kernel then has no code that reads y.
  bool betaCanBeNonZero = true;

  bool operator==(const Problem &) const = default;
};

} // namespace specmv
