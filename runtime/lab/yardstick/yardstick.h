// Times cuSPARSE's products of a matrix: all algorithms, several vectors, and the transpose.
#pragma once

#include "models/profile/profile.h"
#include "runtime/lab/yardstick/contender.h"
#include "runtime/machine.h"
#include "runtime/measure/measure.h"

#include <string>
#include <vector>

namespace specmv {

// --- Several -------------------------------------------------------------------------------------

// Times cuSPARSE's product of a matrix in CSR with several vectors (SpMM), to compare plans with.

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

// --- Transposed ----------------------------------------------------------------------------------

// Times cuSPARSE's product with the transpose of a matrix in CSR, to compare plans of transposes
// with. Its formats other than CSR are faster only if they store the transpose.

// Times y = A^T x, warm. `a` has addresses on the GPU; x has a.rows values and y a.cols.
// Preprocessing is done before and not counted. Returns at least one time, otherwise an error.
AlgorithmTimes timeTransposedCsr(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a,
                                 DevicePointer x, DevicePointer y);

// --- Yardstick -----------------------------------------------------------------------------------

// Times all cuSPARSE algorithms on a matrix, to compare our product with.

// Returns the formats that are calls of cuSPARSE, including those that are only used when named.
std::vector<std::string> cusparseFormats();

// The time of one of them on the matrix.
struct YardstickTime {
  std::string format; // "cusparse-csr1"; "cusparse-spmm-alg1" for several vectors
  double us = 0;
  ReplayTime replay = {};
  double prepareUs = 0; // before the first product; 0: not measured
};

struct Yardstick {
  std::vector<YardstickTime> times;  // times of the algorithms that support the matrix
  std::vector<std::string> notes;    // reasons why others do not
  const YardstickTime *best() const; // the least time; null if there is none
  const YardstickTime *bestReplay() const;
  const YardstickTime *find(const std::string &format) const;
};

// Times all algorithms of cuSPARSE's product in CSR with several vectors in rows (SpMM).
llvm::Expected<Yardstick> measureSpmm(const CsrView &a, Machine &machine,
                                      const DeviceVectors &vectors);
// Builds and times each format on the machine's GPU; SpMM for several vectors.
llvm::Expected<Yardstick> measureCusparse(const CsrView &a, const SparsityProfile &profile,
                                          const Problem &problem, Machine &machine,
                                          const DeviceVectors &vectors);

// Returns the bytes that a product in CSR must move: nnz (v + 4) + 4 (rows + 1) + v cols + v rows,
// the last two for each vector.
int64_t csrBytes(const CsrView &a, int64_t vectors = 1);

} // namespace specmv
