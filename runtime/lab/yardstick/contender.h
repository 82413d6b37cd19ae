// What cuSPARSE's products are made of that plans are compared with: a matrix in CSR on the GPU,
// the numbers 1 and 0, and the times of the algorithms that it has.
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

// At least one time, else an error: an algorithm may not know the operation or the order.
using AlgorithmTimes = llvm::Expected<std::vector<AlgorithmTime>>;

} // namespace specmv
