// Calls the program's functions for device memory, and checks their results.
#include "runtime/cuda/memory_source.h"

#include "models/base/own_environment.h"
#include "runtime/cuda/device.h"

namespace specmv {

// The alignment of the driver's own allocations, on which kernels rely when they read several
// values at a time and when arrays share an allocation (derived: CUDA's guarantee for cuMemAlloc).
constexpr DevicePointer kAlignmentOfMemory = 256;

llvm::Expected<DevicePointer> allocateFrom(const MemorySource &source, const GpuDevice &gpu,
                                           size_t bytes, StreamHandle stream) {
  const GpuDevice::Current current(gpu);
  if (llvm::Error error = current.check())
    return error;
  void *const given = [&] {
    const ApplicationsEnvironment theirs;
    return source.allocate(source.user, bytes, stream);
  }();
  if (!given)
    return fail(Status::gpuMemory,
                "the context's allocator returned null for {0} bytes on {1}; let it allocate more, "
                "or set maxBytes",
                bytes, gpu.info().name);
  const auto at = reinterpret_cast<DevicePointer>(given);
  if (at % kAlignmentOfMemory == 0)
    return at;
  giveBackTo(source, {at, bytes}, stream);
  return fail(Status::badCall,
              "the context's allocator returned {0:x} for {1} bytes; its addresses must be "
              "multiples of {2}, as those of cudaMalloc() are",
              at, bytes, kAlignmentOfMemory);
}

void giveBackTo(const MemorySource &source, DeviceMemory memory, StreamHandle stream) noexcept {
  try {
    const ApplicationsEnvironment theirs;
    source.deallocate(source.user, reinterpret_cast<void *>(memory.at), memory.bytes, stream);
  } catch (...) { // NOLINT: exceptions are swallowed
  }
}

} // namespace specmv
