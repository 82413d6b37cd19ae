// Device memory from a pool of specmv's own, so that a set-up does not wait until the driver has
// mapped memory which an earlier one has freed.
#pragma once

#include "runtime/cuda/driver.h"

#include <atomic>

namespace specmv {

// The rule for its memory: what allocate() returns may be used on every stream at once, and what is
// released no work uses any more. Neither waits for any work of the program.
// A GPU with another source of memory gets that source's, by the same rule.
class MemoryPool {
public:
  // Where the device or its driver has no pools, memory is taken from the driver directly; to free
  // it then waits for all work of the GPU.
  MemoryPool(const GpuDevice &gpu, CUdevice device);

  // Status::missing if there is not enough memory.
  llvm::Expected<DevicePointer> allocate(const GpuDevice &gpu, size_t bytes) const;
  // In the context of the GPU, as all below.
  void release(const GpuDevice &gpu, DeviceMemory memory) const;
  // The same in order on a stream, without waiting: for memory that only that stream uses. What is
  // allocated so may be released by release() after the stream was synchronized.
  llvm::Expected<DevicePointer> allocate(const GpuDevice &gpu, size_t bytes,
                                         StreamHandle stream) const;
  void release(const GpuDevice &gpu, DeviceMemory memory, StreamHandle stream) const;

  // Zeros without a pool.
  MemoryUse takeUse() const;
  // Gives the memory that is free and mapped back to the driver.
  void trim() const;

private:
  void keepFree(cuuint64_t bytes) const;
  void count(int64_t bytes) const;

  UniqueHandle<CUmemoryPool, OwnedBy<CUresult (*)(CUmemoryPool)>> pool_; // null without pools
  // Memory for all streams is allocated and freed in order on this stream, which has no other work,
  // so that nothing is waited for but the allocation.
  UniqueHandle<CUstream, OwnedBy<CUresult (*)(CUstream)>> stream_;
  cuuint64_t deviceBytes_ = 0;            // of the GPU
  mutable std::atomic<int64_t> bytes_{0}; // that are allocated of the pool
};

} // namespace specmv
