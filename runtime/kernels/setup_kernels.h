// Set-up kernels, loaded on the machine's GPU: found in packs or in the cache, else compiled; and
// workspaces in which they run.
#pragma once

#include "runtime/machine.h"
#include "runtime/matrix.h"

#include <memory>
#include <optional>

namespace specmv {

// The GPU keeps what was loaded, so that it is loaded once in a process. Status::missing if a
// source can neither be found nor compiled. The loader refers to the machine.
KernelLoader setupKernelLoader(Machine &machine);

// A workspace with the matrix, which is uploaded if it is not there. Refers to both.
llvm::Expected<std::unique_ptr<GpuWorkspace>> workspaceOf(const SourceMatrix &a, Machine &machine);

// What was made in a workspace; nullopt, so that the host makes it instead, if the set-up kernels
// cannot be had.
template <class T>
llvm::Expected<std::optional<T>> unlessKernelsLack(const GpuWorkspace &workspace,
                                                   llvm::Expected<std::optional<T>> made) {
  if (made || !workspace.lacksKernels())
    return made;
  llvm::consumeError(made.takeError());
  return std::nullopt;
}

} // namespace specmv
