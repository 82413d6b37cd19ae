// Maps segments of memory, hands out parts of them, and keeps free ones for a while.
#include "runtime/cuda/memory_pool.h"

#include "models/base/environment.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <utility>

namespace specmv {

// Limits how much free memory stays mapped for the next set-up. It is a small part of the GPU's
// memory, so that others hardly miss it, and smaller still while nothing is allocated.
constexpr size_t kKeptAtLeast = size_t{256} << 20, kKeptPart = 64;
constexpr size_t kKeptAloneAtLeast = size_t{64} << 20, kKeptAlonePart = 256;

// Mapping a segment takes as long as ten launches, so small parts are taken from the first one too:
// most set-ups within L2 need no other. Its unused rest may cost a small GPU 1/250 of its memory.
constexpr size_t kSegmentPart = 256;
constexpr size_t kSmallSegment = size_t{2} << 20;

MemoryPool::MemoryPool(const GpuDevice &gpu, CUdevice device)
    : gpu_(gpu), mapper_(device), deviceBytes_(static_cast<size_t>(gpu.info().memoryBytes)) {
  const GpuDevice::Current current(gpu);
  isMapped_ = environment("SPECMV_PLAIN_MEMORY").empty() && MemoryMapper::isSupported(device);
}

MemoryPool::~MemoryPool() {
  const GpuDevice::Current current(gpu_);
  // Mapped memory outlives its context if the program has reset the device.
  while (const auto segment = arena_.takeAnySegment(
             [&](void *event) { spare_.push_back(static_cast<CUevent>(event)); }))
    MemoryMapper::unmap(*segment);
  if (current.isCurrent())
    for (const CUevent event : spare_)
      driver().cuEventDestroy(event);
}

// --- In use, and what is kept --------------------------------------------------------------------

void MemoryPool::count(int64_t bytes) {
  use_.now += bytes;
  use_.most = std::max(use_.most, use_.now);
}

size_t MemoryPool::bytesToKeep() const {
  return arena_.usedBytes() > 0 ? std::max(kKeptAtLeast, deviceBytes_ / kKeptPart)
                                : std::max(kKeptAloneAtLeast, deviceBytes_ / kKeptAlonePart);
}

void MemoryPool::unmapDownTo(size_t bytes) {
  while (arena_.freeSegmentBytes() > bytes)
    MemoryMapper::unmap(*arena_.takeFreeSegment());
}

void MemoryPool::settle() {
  arena_.settle([&](void *event) {
    if (driver().cuEventQuery(static_cast<CUevent>(event)) == CUDA_ERROR_NOT_READY)
      return false;
    spare_.push_back(static_cast<CUevent>(event));
    return true;
  });
}

// Waits without the lock, since the work may wait for a thread of the program that frees memory. An
// event may be recorded again meanwhile; the wait then takes a little longer.
void MemoryPool::waitForReleased(std::unique_lock<std::mutex> &lock) {
  const std::vector<void *> events = arena_.events();
  lock.unlock();
  for (void *event : events)
    driver().cuEventSynchronize(static_cast<CUevent>(event));
  lock.lock();
  settle();
}

// --- Allocating ----------------------------------------------------------------------------------

CUresult MemoryPool::addSegment(size_t bytes, const char *&failed) {
  const size_t most = std::min(Arena::kSegment, deviceBytes_ / kSegmentPart);
  const auto serves = arena_.isEmpty() && bytes <= most ? Arena::Serves::all
                      : Arena::isLarge(bytes)           ? Arena::Serves::large
                                                        : Arena::Serves::small;
  const size_t wanted = serves == Arena::Serves::small ? kSmallSegment : most;
  DeviceMemory memory;
  CUresult result = mapper_.map(std::max(bytes, wanted), memory, failed);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && bytes < wanted)
    result = mapper_.map(bytes, memory, failed);
  if (result != CUDA_SUCCESS)
    return result;
  auto unmap = llvm::make_scope_exit([&] { MemoryMapper::unmap(memory); });
  arena_.addSegment(memory, serves);
  unmap.release();
  return CUDA_SUCCESS;
}

CUresult MemoryPool::take(size_t bytes, const std::optional<StreamIdentity> &stream,
                          DevicePointer &out, const char *&failed,
                          std::unique_lock<std::mutex> &lock) {
  settle();
  unmapDownTo(bytesToKeep());
  auto taken = arena_.take(bytes, stream);
  CUresult result = taken ? CUDA_SUCCESS : addSegment(bytes, failed);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    waitForReleased(lock);
    taken = arena_.take(bytes, stream);
    if (!taken) {
      unmapDownTo(0);
      result = addSegment(bytes, failed);
    }
  }
  if (!taken)
    taken = arena_.take(bytes, stream); // from the new segment
  if (!taken)
    return result;
  if (taken->event)
    spare_.push_back(static_cast<CUevent>(taken->event));
  out = taken->at;
  return CUDA_SUCCESS;
}

// Reports exhausted memory with its numbers, and other errors with the driver's text.
static llvm::Error failedAllocation(const GpuDevice &gpu, size_t bytes, CUresult result,
                                    const char *failed) {
  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    return driver().check(result, failed);
  return fail(Status::gpuMemory, "{0} does not have enough free memory to allocate {1} bytes",
              gpu.info().name, bytes);
}

llvm::Expected<DevicePointer> MemoryPool::allocated(const GpuDevice &gpu, size_t bytes,
                                                    const StreamHandle *stream) {
  const GpuDevice::Current current(gpu);
  if (llvm::Error error = current.check())
    return error;
  const char *failed = "cuMemAlloc";
  DevicePointer out = 0;
  CUresult result = CUDA_SUCCESS;
  std::unique_lock lock(mutex_);
  if (bytes > deviceBytes_) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  } else if (isMapped_) {
    result =
        take(bytes, stream ? std::optional(identityOf(*stream)) : std::nullopt, out, failed, lock);
  } else {
    CUdeviceptr made = 0;
    result = driver().cuMemAlloc(&made, bytes);
    out = made;
  }
  if (result != CUDA_SUCCESS)
    return failedAllocation(gpu, bytes, result, failed);
  count(static_cast<int64_t>(bytes));
  return out;
}

llvm::Expected<DevicePointer> MemoryPool::allocate(const GpuDevice &gpu, size_t bytes,
                                                   StreamHandle stream) {
  if (gpu.memorySource())
    return allocateFrom(gpu.memorySource(), gpu, bytes, stream);
  return allocated(gpu, bytes, &stream);
}

// If the stream cannot be made, uses the default stream, which may have work to wait for.
StreamHandle MemoryPool::idleStream() {
  const std::lock_guard lock(mutex_);
  if (idleStream_)
    return idleStream_.get();
  const Driver &d = driver();
  const GpuDevice::Current current(gpu_);
  CUstream stream = nullptr;
  if (current.isCurrent() && d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS)
    idleStream_ = {stream, {&gpu_, d.cuStreamDestroy}};
  return stream;
}

llvm::Expected<DevicePointer> MemoryPool::allocate(const GpuDevice &gpu, size_t bytes) {
  if (!gpu.memorySource())
    return allocated(gpu, bytes, nullptr);
  auto pointer = allocateFrom(gpu.memorySource(), gpu, bytes, idleStream());
  if (!pointer)
    return pointer;
  if (llvm::Error error = gpu.synchronize(idleStream())) {
    const GpuDevice::Current current(gpu);
    release(gpu, {*pointer, bytes});
    return error;
  }
  return pointer;
}

// --- Releasing -----------------------------------------------------------------------------------

// Returns null if no event can be made.
CUevent MemoryPool::eventBehind(StreamHandle stream) {
  const Driver &d = driver();
  CUevent event = nullptr;
  if (!spare_.empty()) {
    event = spare_.back();
    spare_.pop_back();
  } else {
    try {
      spare_.reserve(events_ + 1);
    } catch (const std::bad_alloc &) {
      return nullptr;
    }
    if (d.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
      return nullptr;
    ++events_;
  }
  if (d.cuEventRecord(event, static_cast<CUstream>(stream)) == CUDA_SUCCESS)
    return event;
  spare_.push_back(event);
  return nullptr;
}

void MemoryPool::giveBack(DeviceMemory memory, const StreamHandle *stream) {
  const std::lock_guard lock(mutex_);
  count(-static_cast<int64_t>(memory.bytes));
  if (!isMapped_) {
    driver().cuMemFree(memory.at);
    return;
  }
  if (const CUevent event = stream ? eventBehind(*stream) : nullptr) {
    arena_.giveBack(memory.at, identityOf(*stream), event);
  } else {
    if (stream)
      driver().cuStreamSynchronize(static_cast<CUstream>(*stream));
    arena_.giveBack(memory.at);
  }
  settle();
  unmapDownTo(bytesToKeep());
}

void MemoryPool::release(const GpuDevice &gpu, DeviceMemory memory, StreamHandle stream) {
  if (gpu.memorySource())
    giveBackTo(gpu.memorySource(), memory, stream);
  else
    giveBack(memory, &stream);
}

void MemoryPool::release(const GpuDevice &gpu, DeviceMemory memory) {
  if (gpu.memorySource())
    giveBackTo(gpu.memorySource(), memory, idleStream());
  else
    giveBack(memory, nullptr);
}

MemoryUse MemoryPool::takeUse() {
  const std::lock_guard lock(mutex_);
  return {.now = use_.now, .most = std::exchange(use_.most, use_.now)};
}

void MemoryPool::trim() {
  std::unique_lock lock(mutex_);
  waitForReleased(lock);
  unmapDownTo(0);
}

} // namespace specmv
