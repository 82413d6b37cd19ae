// The best that cuSPARSE does with a matrix: what a product of ours is measured against.
#pragma once

#include "models/profile/profile.h"
#include "runtime/machine.h"
#include "runtime/measure/measure.h"

#include <string>
#include <vector>

namespace specmv {

// The formats that are calls of cuSPARSE, whatever the choice thinks of them.
std::vector<std::string> cusparseFormats();

// One of them on the matrix.
struct YardstickTime {
  std::string format; // "cusparse-csr1"
  double us = 0;
};

struct Yardstick {
  std::vector<YardstickTime> times;  // those that take the matrix
  std::vector<std::string> notes;    // why the others do not
  const YardstickTime *best() const; // by us; null where there is none
  const YardstickTime *find(const std::string &format) const;
};

// Builds and times each of them on the GPU of the machine.
llvm::Expected<Yardstick> measureCusparse(const CsrView &a, const SparsityProfile &profile,
                                          const Problem &problem, Machine &machine,
                                          const DeviceVectors &vectors);

// Bytes that a product in CSR must move: nnz (v + 4) + 4 (rows + 1) + v cols + v rows.
int64_t csrBytes(const CsrView &a);

} // namespace specmv
