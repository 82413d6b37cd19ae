// Where device memory comes from, if not from specmv's own pool: functions of the program.
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

// Both functions work in order on the stream. allocate() returns null if there is no memory.
struct MemorySource {
  void *(*allocate)(void *user, size_t bytes, void *stream) = nullptr; // null: the pool
  void (*deallocate)(void *user, void *pointer, size_t bytes, void *stream) = nullptr;
  void *user = nullptr;

  explicit operator bool() const { return allocate != nullptr; }
};

// Calls the source's function, in the context of the GPU. Status::missing if it gives nothing,
// badCall if what it gives is not aligned; that is given back.
llvm::Expected<DevicePointer> allocateFrom(const MemorySource &source, const GpuDevice &gpu,
                                           size_t bytes, StreamHandle stream);
// In the context of the GPU. What the function throws concerns nobody.
void giveBackTo(const MemorySource &source, DeviceMemory memory, StreamHandle stream) noexcept;

} // namespace specmv
