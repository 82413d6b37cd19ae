// What a kernel for y = alpha A x + beta y must know besides the matrix: the type, about beta, and
// how many vectors are multiplied at once.
#pragma once

#include "models/csr.h"

namespace specmv {

struct Problem {
  ValueType type = ValueType::f64; // of A, x, y, alpha and beta
  // False is a promise that beta is 0 in every product; the kernel then has no code that reads y.
  bool betaCanBeNonZero = true;
  // 2, 4, 8 or 16: there are also kernels that multiply so many vectors at once.
  int vectors = 1;
  // Kernels read alpha and beta from memory of the GPU, where they may change until a product runs.
  bool scalarsAreOnGpu = false;

  bool operator==(const Problem &) const = default;
};

} // namespace specmv
