// The times of all cuSPARSE algorithms on a matrix, which our product is compared with.
#pragma once

#include "models/profile/profile.h"
#include "runtime/machine.h"
#include "runtime/measure/measure.h"

#include <string>
#include <vector>

namespace specmv {

// The formats that are calls of cuSPARSE, including those that are never chosen by themselves.
std::vector<std::string> cusparseFormats();

// The time of one of them on the matrix.
struct YardstickTime {
  std::string format; // "cusparse-csr1", of several vectors "cusparse-spmm-alg1"
  double us = 0;
};

struct Yardstick {
  std::vector<YardstickTime> times;  // of those that can multiply by the matrix
  std::vector<std::string> notes;    // why the others cannot
  const YardstickTime *best() const; // the least time; null if there is none
  const YardstickTime *find(const std::string &format) const;
};

// Times cuSPARSE's product in CSR with several vectors in rows (SpMM), all of its algorithms.
llvm::Expected<Yardstick> measureSpmm(const CsrView &a, Machine &machine,
                                      const DeviceVectors &vectors);
// Builds and times each format on the GPU of the machine; of several vectors SpMM.
llvm::Expected<Yardstick> measureCusparse(const CsrView &a, const SparsityProfile &profile,
                                          const Problem &problem, Machine &machine,
                                          const DeviceVectors &vectors);

// Bytes that a product in CSR must move: nnz (v + 4) + 4 (rows + 1) + v cols + v rows, the last two
// for each vector.
int64_t csrBytes(const CsrView &a, int64_t vectors = 1);

} // namespace specmv
