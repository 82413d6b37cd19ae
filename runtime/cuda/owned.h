// What a GpuDevice owns besides its context. Only for the files of this folder.
#pragma once

#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/module_store.h"

#include <mutex>

namespace specmv {

struct GpuDevice::Owned {
  Owned(const GpuDevice &gpu, CUdevice device) : memory(gpu, device) {}

  MemoryPool memory;
  ModuleStore modules;
  std::mutex sharedLimits; // held while the limit of a function's shared memory is raised
};

} // namespace specmv
