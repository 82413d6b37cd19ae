// The arrays of CSR-vector: those of CSR, in the plan's index types.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"

namespace specmv {

// The arrays and arguments of the kernel.
Fields csrVectorFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz);

llvm::Expected<Layout> csrVectorLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
