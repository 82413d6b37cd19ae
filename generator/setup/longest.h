// Finds the longest row on the device (templates/setup/longest.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

constexpr const char *kLongestHeader = "setup/longest.cuh";
SetupKernel longestRowKernel(const DeviceCsr &csr);

// The number of entries of the longest row.
llvm::Expected<int64_t> longestRowOn(Workspace &workspace, const KernelSource &source);

} // namespace specmv
