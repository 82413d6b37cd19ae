// The best that cuSPARSE does with a matrix: what a product of ours is measured against.
#pragma once

#include "models/csr.h"
#include "runtime/gpu_device.h"

#include <memory>
#include <string>
#include <vector>

namespace specmv {

// One algorithm of cuSPARSE on the matrix.
struct YardstickTime {
  std::string name; // "cusparse-csr1"
  double us = 0, usCold = 0, setupMs = 0;
};

struct Yardstick {
  std::vector<YardstickTime> times;  // those that take the matrix
  std::vector<std::string> notes;    // why the others do not
  const YardstickTime *best() const; // by us; null where there is none
  const YardstickTime *find(const std::string &name) const;
};

// Times every algorithm of cuSPARSE on the same CSR arrays and vectors; cold times where asked for.
llvm::Expected<Yardstick> measureCusparse(const std::shared_ptr<const GpuDevice> &gpu,
                                          const CsrView &a, DevicePointer x, DevicePointer y,
                                          bool cold);

// Bytes that a product in CSR must move: nnz (v + 4) + 4 (rows + 1) + v cols + v rows.
int64_t csrBytes(const CsrView &a);

} // namespace specmv
