// Makes a layout on the device: adds its arrays and launches the kernels that fill them.
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

// A kernel and its number of blocks.
struct SetupLaunch {
  SetupKernel kernel;
  int64_t blocks;
};

llvm::Error launchAll(Workspace &workspace, const KernelSource &source,
                      const std::vector<SetupLaunch> &launches);

// The kernels alone, for their source.
std::vector<SetupKernel> kernelsOf(const std::vector<SetupLaunch> &launches);

// The layout with these fields, filled by these kernels. Arrays in `present` are there already.
llvm::Expected<Layout> filledLayout(Workspace &workspace, const KernelSource &source,
                                    const Fields &fields, const std::vector<SetupLaunch> &launches,
                                    const std::vector<std::string> &present = {});

// Copies of the CSR arrays to `rowPtr`, and to `col` and `val` (templates/pack/copy.cuh).
constexpr const char *kCopyHeader = "pack/copy.cuh";
SetupLaunch rowPtrCopy(const DeviceCsr &csr, const Types &types);
SetupLaunch entriesCopy(const DeviceCsr &csr, const Types &types);

// Lends rowPtr, or col and val, to a layout with these types, if the workspace may and the types
// are those of the CSR arrays. Returns whether it did; else they must be copied.
llvm::Expected<bool> lendRowPtr(Workspace &workspace, const Types &types);
llvm::Expected<bool> lendEntries(Workspace &workspace, const Types &types);

} // namespace specmv
