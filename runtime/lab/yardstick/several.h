// Times cuSPARSE's product of a matrix in CSR with several vectors (SpMM), to compare plans with.
#pragma once

#include "runtime/lab/yardstick/contender.h"

namespace specmv {

// X and Y, dense: `count` vectors, one after another or in rows, without gaps.
struct DenseVectors {
  int64_t count;
  bool areRows;
  DevicePointer x, y;
};

// Times Y = A X, warm. `a` has addresses on the GPU. Preprocessing is done before and not counted.
// Returns at least one time, otherwise an error.
AlgorithmTimes timeSeveral(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a,
                           const DenseVectors &vectors);

} // namespace specmv
