// Orders rows by length within windows on the device (templates/setup/row_order.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

constexpr const char *kRowOrderHeader = "setup/row_order.cuh";
std::vector<SetupKernel> rowOrderKernels(IndexType csrIndex);

// Whether rows can be ordered on the device in windows of this many rows, a power of two.
bool canOrderRows(int64_t window);
// Fills the array `perm` of u16: for each place, the row there, counted from the first row of its
// window. The rows of a window are ordered by descending length; rows of equal length keep their
// order. The order is right if no row is longer than kMaxOrderedLength.
llvm::Error orderRows(Workspace &workspace, const KernelSource &source, int64_t window);

} // namespace specmv
