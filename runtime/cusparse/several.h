// Times cuSPARSE's product of a matrix in CSR with several vectors (SpMM), to compare plans with.
#pragma once

#include "models/csr.h"
#include "runtime/cuda/device.h"

#include <string>
#include <vector>

namespace specmv {

// X and Y, dense: `count` vectors, one behind the other or in rows, without gaps.
struct DenseVectors {
  int64_t count;
  bool areRows;
  DevicePointer x, y;
};

struct SeveralTime {
  std::string algorithm; // "default", "alg1", "alg2", "alg3"
  double us = 0;
};

// Y = A X, warm. `a` has addresses on the GPU. Preprocessing is done before and not counted. At
// least one time, else an error.
llvm::Expected<std::vector<SeveralTime>> timeSeveral(const std::shared_ptr<const GpuDevice> &gpu,
                                                     const CsrView &a, const DenseVectors &vectors);

} // namespace specmv
