// A product that can be launched at once: by the CSR arrays as they lie on the GPU, without a look
// at the matrix.
#pragma once

#include "runtime/build.h"
#include "runtime/request.h"

namespace specmv {

struct FirstProduct {
  Plan plan;
  GpuProduct product;
  // Has the arrays that the product reads, if they were uploaded; else these are the caller's.
  SourceMatrix matrix;
};

// On the GPU of the machine, by csr-merge if its kernels are loaded or cached, so that nothing has
// to be compiled, else by cuSPARSE's default algorithm. nullopt if this machine has neither, or if
// they do not take the matrix. Nothing of the arrays is checked but the ends of rowPtr, if they are
// on the host: a product of arrays that form no matrix reads whatever they say. CSR arrays with
// 64-bit indices are not narrowed; both read them as they are.
llvm::Expected<std::optional<FirstProduct>> firstProduct(const SourceMatrix &a,
                                                         const Problem &problem, Machine &machine);

// The plans of ours that multiply by CSR as it is, from its size alone.
std::vector<Plan> plansAsItIs(const SourceMatrix &a, const Machine &machine);

// The plan of ours among these whose kernels for a copy of the matrix are at hand: for so few
// products that no profile could pay.
std::optional<Plan> planWithoutProfile(const SourceMatrix &a, const Request &request,
                                       const Machine &machine);

} // namespace specmv
