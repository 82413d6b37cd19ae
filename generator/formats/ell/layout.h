// The packing of ELL on the host, and what no packing of it can do.
#pragma once

#include "generator/layout.h"
#include "models/plan.h"
#include "models/problem.h"

namespace specmv {

// Fails if a matrix with this longest row cannot be packed for the plan.
llvm::Error checkEll(const Plan &plan, const MatrixSize &a, int64_t longestRow);

llvm::Expected<Layout> ellLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
