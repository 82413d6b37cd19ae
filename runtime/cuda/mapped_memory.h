// Device memory that is mapped and unmapped by the driver's functions for virtual memory: unlike
// cuMemFree these wait for no work of the GPU, and unlike the driver's own pool they need no 8 ms
// when the first is allocated in a process.
#pragma once

#include "runtime/cuda/driver.h"

namespace specmv {

// Maps memory of one GPU. All calls are made in its context.
class MemoryMapper {
public:
  // Tells whether the GPU and its driver can do this.
  static bool isSupported(CUdevice device);

  explicit MemoryMapper(CUdevice device) : device_(device) {}

  // Maps at least so many bytes, which kernels and copies of this GPU may read and write. `failed`
  // names the call that has failed, if one has.
  CUresult map(size_t bytes, DeviceMemory &out, const char *&failed) const;
  // No work may use it any more. Waits for nothing.
  static void unmap(DeviceMemory memory);

private:
  CUdevice device_;
};

} // namespace specmv
