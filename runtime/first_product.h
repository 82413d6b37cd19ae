// Builds a product that can be launched at once, from the CSR arrays as they are on the GPU,
// without reading the matrix.
#pragma once

#include "runtime/build.h"
#include "runtime/request.h"

namespace specmv {

struct FirstProduct {
  Plan plan;
  GpuProduct product;
  // Owns the arrays that the product reads if they were uploaded; otherwise they are the caller's.
  SourceMatrix matrix;
};

// Builds the product on the machine's GPU: by csr-merge if its kernels are loaded or cached, so
// that nothing has to be compiled, otherwise by cuSPARSE's default algorithm. nullopt if neither is
// available or neither takes the matrix. Only the ends of rowPtr are checked, and only if they are
// on the host: if the arrays do not form a valid matrix, the product reads out of bounds. CSR
// arrays with 64-bit indices are not narrowed; both kernels read them directly.
llvm::Expected<std::optional<FirstProduct>> firstProduct(const SourceMatrix &a,
                                                         const Problem &problem, Machine &machine);

// Returns specmv's own plans that multiply by CSR in place; they depend on the size alone.
std::vector<Plan> plansAsItIs(const SourceMatrix &a, const Machine &machine);

// Returns the one of these plans whose kernels for a copy of the matrix are available without
// compiling. It is used when too few products are expected to pay for a profile.
std::optional<Plan> planWithoutProfile(const SourceMatrix &a, const Request &request,
                                       const Machine &machine);

} // namespace specmv
