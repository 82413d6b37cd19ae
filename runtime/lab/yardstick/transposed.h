// Times cuSPARSE's product with the transpose of a matrix in CSR, to compare plans of transposes
// with. Its formats other than CSR are faster only if they store the transpose.
#pragma once

#include "runtime/lab/yardstick/contender.h"

namespace specmv {

// Times y = A^T x, warm. `a` has addresses on the GPU; x has a.rows values and y a.cols.
// Preprocessing is done before and not counted. Returns at least one time, otherwise an error.
AlgorithmTimes timeTransposedCsr(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a,
                                 DevicePointer x, DevicePointer y);

} // namespace specmv
