// Turns an array of counts on the device into places (templates/setup/scan.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

// The header and kernels for counts of one type.
constexpr const char *kScanHeader = "setup/scan.cuh";
std::vector<SetupKernel> scanKernels(const char *array, ElementType type);

// Element i of the array becomes the sum of those before it; `count` elements, the last of which
// has no count and becomes the sum of all. Returns that sum, also if it does not fit the type.
llvm::Expected<int64_t> scanCounts(Workspace &workspace, const KernelSource &source,
                                   const char *array, ElementType type, int64_t count);
// The same without the sum, so that the host need not wait.
llvm::Error placeCounts(Workspace &workspace, const KernelSource &source, const char *array,
                        ElementType type, int64_t count);

} // namespace specmv
