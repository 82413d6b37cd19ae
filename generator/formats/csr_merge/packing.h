// The packing of merge-path CSR on the GPU.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

extern const Packing kCsrMergePacking;

// InPlace uses these: they pack with the same kernels, but do not copy the entries.
KernelSource csrMergePackSource(const Plan &plan, const Problem &problem, IndexType csrIndex);
llvm::Expected<Layout> packCsrMergeInPlace(Workspace &w, const Plan &plan, const Problem &problem);

} // namespace specmv
