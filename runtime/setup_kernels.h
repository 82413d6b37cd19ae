// Set-up kernels, loaded on the machine's GPU: found in packs or in the cache, else compiled.
#pragma once

#include "runtime/cuda/workspace.h"
#include "runtime/machine.h"

namespace specmv {

// The GPU keeps what was loaded, so that it is loaded once in a process. Status::missing if a
// source can neither be found nor compiled. The loader refers to the machine.
KernelLoader setupKernelLoader(Machine &machine);

} // namespace specmv
