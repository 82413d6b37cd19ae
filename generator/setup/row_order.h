// Orders rows by length on the device, all of them or within windows, and finds the longest.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

// --- Longest -------------------------------------------------------------------------------------

// Finds the longest row on the device (templates/setup/longest.cuh).

constexpr const char *kLongestHeader = "setup/longest.cuh";
SetupKernel longestRowKernel(const DeviceCsr &csr);

// The number of entries of the longest row.
llvm::Expected<int64_t> longestRowOn(Workspace &workspace, const KernelSource &source);

// --- Length order --------------------------------------------------------------------------------

// Orders all rows by length on the device (templates/setup/length_order.cuh).

// The headers and kernels for an order of elements of one type. They include the header and kernels
// of a scan of that type.
std::vector<std::string> lengthOrderHeaders();
std::vector<SetupKernel> lengthOrderKernels(const DeviceCsr &csr, ElementType type);

// Fills the array with the rows by descending length; rows of equal length keep their order.
// `longest` is the length of the longest row.
llvm::Error orderAllRows(Workspace &workspace, const KernelSource &source, const char *array,
                         ElementType type, int64_t longest);

// --- Row order -----------------------------------------------------------------------------------

// Orders rows by length within windows on the device (templates/setup/row_order.cuh).

constexpr const char *kRowOrderHeader = "setup/row_order.cuh";
std::vector<SetupKernel> rowOrderKernels(IndexType csrIndex);

// Whether rows can be ordered on the device in windows of this many rows, a power of two.
bool canOrderRows(int64_t window);
// Fills the array `perm` of u16: for each place, the row there, counted from the first row of its
// window. The rows of a window are ordered by descending length; rows of equal length keep their
// order. The order is right if no row is longer than kMaxOrderedLength.
llvm::Error orderRows(Workspace &workspace, const KernelSource &source, int64_t window);

} // namespace specmv
