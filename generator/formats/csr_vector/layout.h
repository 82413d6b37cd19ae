// The arrays of CSR-vector: those of CSR, in the plan's index types.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"
#include "generator/shared/walk.h"

namespace specmv {

// The arrays and arguments of the kernel.
Fields csrVectorFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz);

llvm::Expected<Layout> csrVectorLayout(const CsrView &a, const Plan &plan, const Problem &problem);

// The traffic of a product with the plan's lanes a row, at this pace.
Traffic csrTraffic(const PlanRequest &in, const Plan &plan, const PaceRates &pace);

} // namespace specmv
