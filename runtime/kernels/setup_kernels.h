// Loads set-up kernels on the machine's GPU, from packs, the cache or the compiler.
#pragma once

#include "runtime/cuda/workspace.h"
#include "runtime/machine.h"

namespace specmv {

// Loads each source once in a process, since the GPU keeps it. Status::missing if a source can
// neither be found nor compiled. The loader refers to the machine.
KernelLoader setupKernelLoader(Machine &machine);

} // namespace specmv
