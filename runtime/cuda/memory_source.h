// Lets functions of the program allocate device memory in place of specmv's own pool.
#pragma once

#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>

namespace specmv {

class GpuDevice;
using DevicePointer = uint64_t;
using StreamHandle = void *; // CUstream or cudaStream_t; null is the default stream

struct DeviceMemory {
  DevicePointer at = 0;
  size_t bytes = 0;
};

// Both functions work in stream order. allocate() returns null if memory runs out.
struct MemorySource {
  void *(*allocate)(void *user, size_t bytes, void *stream) = nullptr; // null: the pool
  void (*deallocate)(void *user, void *pointer, size_t bytes, void *stream) = nullptr;
  void *user = nullptr;

  explicit operator bool() const { return allocate != nullptr; }
};

// Calls the source's function, in the context of the GPU. Status::gpuMemory if it returns null;
// badCall if the memory is not aligned, which is then given back.
llvm::Expected<DevicePointer> allocateFrom(const MemorySource &source, const GpuDevice &gpu,
                                           size_t bytes, StreamHandle stream);
// Call it in the context of the GPU. Exceptions from the function are swallowed.
void giveBackTo(const MemorySource &source, DeviceMemory memory, StreamHandle stream) noexcept;

} // namespace specmv
