// Defines the objects that a GpuDevice owns besides its context. Only for the files of this folder.
#pragma once

#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/module_store.h"
#include "runtime/cuda/own_streams.h"
#include "runtime/cuda/shelf.h"
#include "runtime/cuda/staging.h"

#include <mutex>

namespace specmv {

struct GpuDevice::Owned {
  Owned(const GpuDevice &gpu, CUdevice device) : memory(gpu, device), gate(gpu), staging(gpu) {}

  MemoryPool memory;
  ModuleStore modules;
  OwnStreams streams;
  DefaultStreamGate gate;
  Staging staging;
  Shelf libraryHandles;
  std::mutex sharedLimits; // held while raising a function's limit of shared memory
};

} // namespace specmv
