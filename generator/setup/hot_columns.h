// Renumbers the columns of a matrix that was packed on a device, so that the hottest come first
// (templates/pack/hot_columns.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

constexpr const char *kHotHeader = "pack/hot_columns.cuh";
// The kernels, without those of scanKernels() for 64-bit counts, which a source needs too.
std::vector<SetupKernel> hotKernels(const DeviceCsr &csr, ElementType column);

// Renumbers the array `col` of `slots` columns, and adds the array `hotCol` of `hot` columns; they
// are equal to what the host makes by hottestColumns() (shared/hot_columns.h).
llvm::Error renumberHot(Workspace &workspace, const KernelSource &source, ElementType column,
                        int64_t hot, int64_t slots);

} // namespace specmv
