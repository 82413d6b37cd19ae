// Defines what cuSPARSE's products for comparison share: a matrix in CSR on the GPU, the numbers 1
// and 0, and the times of the library's algorithms.
#pragma once

#include "models/csr.h"
#include "runtime/cuda/device.h"

#include <string>
#include <vector>

namespace specmv {

struct AlgorithmTime {
  std::string algorithm; // "default", "alg1", ...
  double us = 0;
};

// Has at least one time; otherwise an error, since an algorithm may not support the operation or
// the order.
using AlgorithmTimes = llvm::Expected<std::vector<AlgorithmTime>>;

} // namespace specmv
