// The arrays of COO, and its packing on the host.
#pragma once

#include "generator/shared/triplets.h"

namespace specmv {

// All entries of a matrix.
constexpr Triplets cooTriplets(int64_t nnz) { return {nnz, 0, "col"}; }

// The arrays and arguments of both kernels.
Fields cooFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz);

llvm::Expected<Layout> cooLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
