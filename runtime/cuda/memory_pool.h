// Device memory from a pool of specmv's own, so that a set-up neither waits for the driver nor for
// the work of others.
#pragma once

#include "runtime/cuda/arena.h"
#include "runtime/cuda/mapped_memory.h"

#include <mutex>
#include <vector>

namespace specmv {

// The rule for its memory: what allocate() returns may be used on every stream at once, and what is
// released no work uses any more. Neither waits for any work of the program.
// A GPU with another source of memory gets that source's, by the same rule.
//
// Why not the driver's pool: the first allocation from one takes 7 to 9 ms in a process, and memory
// that is mapped for it 1.5 us a megabyte, against 40 us and 0.03 us a megabyte here (H200, driver
// 580.159). A set-up beyond L2 takes less than a millisecond.
class MemoryPool {
public:
  // Where the device or its driver cannot map memory, and where SPECMV_PLAIN_MEMORY is set, each
  // allocation is one of the driver (cuMemAlloc), so that compute-sanitizer sees where it ends; to
  // free it then waits for all work of the GPU.
  MemoryPool(const GpuDevice &gpu, CUdevice device);
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;
  ~MemoryPool();

  // Status::missing if there is not enough memory.
  llvm::Expected<DevicePointer> allocate(const GpuDevice &gpu, size_t bytes);
  // In the context of the GPU, as all below.
  void release(const GpuDevice &gpu, DeviceMemory memory);
  // The same in order on a stream, without waiting: for memory that only that stream uses. What is
  // allocated so may be released by release() after the stream was synchronized.
  llvm::Expected<DevicePointer> allocate(const GpuDevice &gpu, size_t bytes, StreamHandle stream);
  void release(const GpuDevice &gpu, DeviceMemory memory, StreamHandle stream);

  // Tells what is allocated now, and the most since the last call.
  MemoryUse takeUse();
  // Waits for the work behind which memory was released, and unmaps what is free.
  void trim();

private:
  llvm::Expected<DevicePointer> allocated(const GpuDevice &gpu, size_t bytes,
                                          const StreamHandle *stream);
  CUresult take(size_t bytes, const std::optional<StreamIdentity> &stream, DevicePointer &out,
                const char *&failed, std::unique_lock<std::mutex> &lock);
  CUresult addSegment(size_t bytes, const char *&failed);
  // A stream may still use the memory until its work so far is over.
  void giveBack(DeviceMemory memory, const StreamHandle *stream);
  void count(int64_t bytes);
  void settle();
  void waitForReleased(std::unique_lock<std::mutex> &lock);
  void unmapDownTo(size_t bytes);
  size_t bytesToKeep() const;
  StreamHandle idleStream();
  CUevent eventBehind(StreamHandle stream);

  const GpuDevice &gpu_;
  MemoryMapper mapper_;
  bool isMapped_ = false;  // else each allocation is the driver's
  size_t deviceBytes_ = 0; // of the GPU

  std::mutex mutex_; // guards the rest
  // Other sources work in order on a stream: for all streams it is this one, which has no other
  // work. Made when it is first needed.
  UniqueHandle<CUstream, OwnedBy<CUresult (*)(CUstream)>> idleStream_;
  Arena arena_;
  std::vector<CUevent> spare_; // events that mark nothing; room for all that were made
  size_t events_ = 0;          // that were made
  MemoryUse use_;
};

} // namespace specmv
