// Defines the objects that a GpuDevice owns besides its context. Only for the files of this folder.
#pragma once

#include "runtime/cuda/handle.h"
#include "runtime/cuda/l2_turns.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/module_store.h"
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/own_streams.h"

#include <mutex>

namespace specmv {

struct GpuDevice::Owned {
  Owned(const GpuDevice &gpu, CUdevice device)
      : memory(gpu, device), gate(gpu), staging(gpu),
        l2Turns(std::make_shared<L2Turns>(gpu.info().l2Bytes)) {}

  MemoryPool memory;
  ModuleStore modules;
  OwnStreams streams;
  DefaultStreamGate gate;
  Staging staging;
  Shelf libraryHandles;
  std::shared_ptr<L2Turns> l2Turns; // of all plans on the GPU
  std::mutex sharedLimits;          // held while raising a function's limit of shared memory
};

} // namespace specmv
