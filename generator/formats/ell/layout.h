// The leaf of ELL, and what no packing of it can do.
#pragma once

#include "generator/tree/tree.h"

namespace specmv {

// The tree of ELL is one leaf, whose array has ell.width columns.
Leaves ellLeaves(const Plan &plan, int64_t rows, int64_t entries);

// Fails if a matrix with this longest row cannot be packed for the plan.
llvm::Error checkEll(const Plan &plan, const MatrixSize &a, int64_t longestRow);

llvm::Expected<Layout> ellLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
