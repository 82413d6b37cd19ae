// The arrays of HYB, what no packing of it can do, and its packing on the host.
#pragma once

#include "generator/shared/triplets.h"

namespace specmv {

namespace key {
inline constexpr IntegerKey kHybTail{"tail"};
} // namespace key

// The columns of the tail, beside "col" of the ELL part.
constexpr const char *kTailColumns = "tailCol";

// The tail: `count` entries beyond the first hyb.k of their row.
Triplets hybTail(const Plan &plan, int64_t rows, int64_t count);

// The arrays and arguments of the kernels.
Fields hybFields(const Plan &plan, const Problem &problem, int64_t rows, const Triplets &tail);

// Fails if a matrix with so many entries beyond the first hyb.k cannot be packed for the plan.
llvm::Error checkHyb(const Plan &plan, const MatrixSize &a, int64_t tail);

llvm::Expected<Layout> hybLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
