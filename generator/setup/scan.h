// Prefix sums on the device: turns an array of counts into places (templates/setup/scan.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

// The header and kernels for counts of one type.
constexpr const char *kScanHeader = "setup/scan.cuh";
std::vector<SetupKernel> scanKernels(const char *array, ElementType type);

// Replaces each of the `count` elements by the sum of the elements before it. The last element is
// no count; it becomes the sum of all. Returns this sum, even if it does not fit the type.
llvm::Expected<int64_t> scanCounts(Workspace &workspace, const KernelSource &source,
                                   const char *array, ElementType type, int64_t count);
// Like scanCounts(), but without returning the sum, so that the host need not wait.
llvm::Error placeCounts(Workspace &workspace, const KernelSource &source, const char *array,
                        ElementType type, int64_t count);

} // namespace specmv
