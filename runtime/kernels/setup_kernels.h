// Loads set-up kernels on the machine's GPU, from packs, the cache or the compiler.
#pragma once

#include "runtime/cuda/workspace.h"
#include "runtime/machine.h"

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// Loads each source once in a process, since the GPU keeps it. Status::missing if a source can
// neither be found nor compiled. The loader refers to the machine.
KernelLoader setupKernelLoader(Machine &machine);

// Loads those of these sources that are at hand and not loaded. The driver loads a module only when
// the GPU is idle (H200, driver 580.159), so that a call which finds all its kernels loaded does
// not wait for the work of others. A source that cannot be loaded is left to whoever needs it.
void loadAhead(llvm::ArrayRef<const KernelSource *> sources, Machine &machine);

} // namespace specmv
