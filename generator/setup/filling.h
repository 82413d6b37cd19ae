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

// The kernels of the launches, from which their source is emitted.
std::vector<SetupKernel> kernelsOf(const std::vector<SetupLaunch> &launches);

// The layout with these fields, filled by these launches. The workspace has the arrays of `present`
// already.
llvm::Expected<Layout> filledLayout(Workspace &workspace, const KernelSource &source,
                                    const Fields &fields, const std::vector<SetupLaunch> &launches,
                                    const std::vector<std::string> &present = {});

// Copy the CSR arrays to `rowPtr`, and to `col` and `val` (templates/pack/copy.cuh).
constexpr const char *kCopyHeader = "pack/copy.cuh";
SetupLaunch rowPtrCopy(const DeviceCsr &csr, const Types &types);
SetupLaunch entriesCopy(const DeviceCsr &csr, const Types &types);

// Lend rowPtr, or col and val, to a layout with these types, if the workspace lends arrays and the
// CSR arrays have these types. Return false if the arrays must be copied.
llvm::Expected<bool> lendRowPtr(Workspace &workspace, const Types &types);
llvm::Expected<bool> lendEntries(Workspace &workspace, const Types &types);

} // namespace specmv
