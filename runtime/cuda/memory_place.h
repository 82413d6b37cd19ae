// Finds where memory is: on the host, or on which GPU.
#pragma once

#include "runtime/cuda/device.h"

namespace specmv {

// The place of an address according to the driver; the host if there is no driver.
struct MemoryPlace {
  bool isOnGpu = false; // device memory, or managed memory that the driver reports as such
  int device = 0;       // the number of that GPU
  bool isManaged = false;
};
MemoryPlace placeOf(const void *pointer);

inline bool isDevicePointer(const void *pointer) { return placeOf(pointer).isOnGpu; }

// Returns an error that names the array if it is in the memory of another GPU: a kernel reading it
// would fail and break the context. Managed memory is accessible everywhere.
llvm::Error wantOnSameGpu(const GpuDevice &gpu, const MemoryPlace &place, const char *name);

} // namespace specmv
