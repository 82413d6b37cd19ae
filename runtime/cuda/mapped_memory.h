// Maps and unmaps device memory with the driver's functions for virtual memory. Unlike cuMemFree
// they wait for no work of the GPU, and unlike the driver's own pool they do not take 8 ms for the
// first allocation of a process.
#pragma once

#include "runtime/cuda/driver.h"

namespace specmv {

// Maps memory of one GPU. All calls are made in its context.
class MemoryMapper {
public:
  // Returns true if the GPU and its driver support this.
  static bool isSupported(CUdevice device);

  explicit MemoryMapper(CUdevice device) : device_(device) {}

  // Maps at least this many bytes for kernels and copies of this GPU. On failure, `failed` names
  // the call that failed.
  CUresult map(size_t bytes, DeviceMemory &out, const char *&failed) const;
  // Unmaps the memory without waiting. No work may use it any more.
  static void unmap(DeviceMemory memory);

private:
  CUdevice device_;
};

} // namespace specmv
