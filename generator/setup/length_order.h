// Orders all rows by length on the device (templates/setup/length_order.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

// The headers and kernels for an order of elements of one type. They include the header and kernels
// of a scan of that type.
std::vector<std::string> lengthOrderHeaders();
std::vector<SetupKernel> lengthOrderKernels(const DeviceCsr &csr, ElementType type);

// Fills the array with the rows by descending length; rows of equal length keep their order.
// `longest` is the length of the longest row.
llvm::Error orderAllRows(Workspace &workspace, const KernelSource &source, const char *array,
                         ElementType type, int64_t longest);

} // namespace specmv
