// What is asked of a kernel, beside the matrix: y = alpha A x + beta y in which types.
#pragma once

#include "models/csr.h"

namespace specmv {

struct Problem {
  ValueType type = ValueType::f64; // of A, x, y, alpha and beta
  // False promises beta = 0 for every product; the kernel then has no code that reads y.
  bool betaCanBeNonZero = true;
};

} // namespace specmv
