// Loads set-up kernels on the machine's GPU, from packs, the cache or the compiler, and makes
// workspaces in which they run.
#pragma once

#include "runtime/machine.h"
#include "runtime/matrix.h"

#include <memory>
#include <optional>

namespace specmv {

// Loads each source once in a process, since the GPU keeps it. Status::missing if a source can
// neither be found nor compiled. The loader refers to the machine.
KernelLoader setupKernelLoader(Machine &machine);

// Makes a workspace for the matrix, which is uploaded if necessary. Refers to both.
llvm::Expected<std::unique_ptr<GpuWorkspace>> workspaceOf(const SourceMatrix &a, Machine &machine);

// Returns the result of a workspace; nullopt, so that the host does the work instead, if the set-up
// kernels are not available.
template <class T>
llvm::Expected<std::optional<T>> unlessKernelsLack(const GpuWorkspace &workspace,
                                                   llvm::Expected<std::optional<T>> made) {
  if (made || !workspace.lacksKernels())
    return made;
  llvm::consumeError(made.takeError());
  return std::nullopt;
}

} // namespace specmv
