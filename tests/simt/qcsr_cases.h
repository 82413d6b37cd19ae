// Larger matrices that are packed for QCSR in slices on a GPU: chunks of all sizes, several per
// block and several blocks, with long, empty, unsorted and repeating rows.
#pragma once

#include "generator/format.h"
#include "tests/simt/matrices.h"

#include <memory>

namespace specmv::simt {

struct QcsrCase {
  std::shared_ptr<const TestMatrix> matrix;
  Problem problem;
  Plan plan;
  IndexType csrIndex;
  bool isOnDevice; // false: left to the host
};

std::vector<QcsrCase> qcsrCases();

} // namespace specmv::simt
