// Fused steps to run on the host executor: formats x steps x matrices. simt_emit walks the list to
// compile the kernels.
#pragma once

#include "generator/fusion/fusion.h"
#include "tests/simt/cases.h"

#include <memory>

namespace specmv::simt {

struct FusedCase {
  const Format *format; // null: a step without a product
  std::shared_ptr<const TestMatrix> matrix;
  Plan plan;
  Problem problem; // with the step
  std::string source;

  const Fusion &fusion() const { return *problem.fusion; }
  std::string name() const;
};

std::vector<FusedCase> fusedCases();

} // namespace specmv::simt
