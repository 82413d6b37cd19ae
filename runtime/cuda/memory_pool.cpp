// Maps segments of memory, hands out parts of them by best fit, and keeps free ones for a while.
#include "runtime/cuda/memory_pool.h"

#include "models/base/numbers.h"
#include "models/base/own_environment.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace specmv {

// --- Arena ---------------------------------------------------------------------------------------

// Takes parts of segments by best fit, and merges free parts with their neighbours.

Arena::~Arena() {
  while (takeAnySegment([](void *) {}))
    ;
}

void Arena::addSegment(DeviceMemory memory, Serves serves) {
  auto part = std::make_unique<Part>();
  auto segment = std::make_unique<Segment>();
  segment->memory = memory;
  segment->serves = serves;
  segment->first = part.get();
  part->segment = segment.get();
  part->at = memory.at;
  part->bytes = memory.bytes;
  segments_.push_back(*segment.release());
  free(*part.release());
}

bool Arena::serves(const Segment &segment, size_t bytes) {
  return segment.serves == Serves::all ||
         segment.serves == (isLarge(bytes) ? Serves::large : Serves::small);
}

Arena::Part *Arena::bestOf(Parts &parts, size_t bytes,
                           llvm::function_ref<bool(const Part &)> mayBe) {
  Part *best = nullptr;
  for (Part &part : parts)
    if (part.bytes >= bytes && (!best || part.bytes < best->bytes) && mayBe(part))
      best = &part;
  return best;
}

Arena::Part *Arena::found(size_t bytes, const std::optional<StreamIdentity> &stream) {
  const auto fits = [&](const Part &part) {
    return serves(*part.segment, bytes) &&
           (!isWhole(part) || part.bytes <= std::max(kSegment, 2 * bytes));
  };
  // While the part is in use, others cannot use its surplus bytes.
  const auto isOfStream = [&](const Part &part) {
    return part.stream == *stream && part.bytes <= 2 * bytes &&
           part.bytes - bytes <= std::max(kLarge, bytes / 8) && fits(part);
  };
  if (stream && stream->number != 0)
    if (Part *const own = bestOf(waiting_, bytes, isOfStream))
      return own;
  return bestOf(free_, bytes, fits);
}

// Cuts the part after the first `bytes`; `rest` becomes the remainder, which is free.
void Arena::split(Part &part, size_t bytes, std::unique_ptr<Part> rest) {
  rest->segment = part.segment;
  rest->at = part.at + bytes;
  rest->bytes = part.bytes - bytes;
  rest->before = &part;
  rest->after = part.after;
  rest->isFree = true;
  if (part.after)
    part.after->before = rest.get();
  part.bytes = bytes;
  part.after = rest.release();
  free_.push_back(*part.after);
}

std::optional<Arena::Taken> Arena::take(size_t bytes, const std::optional<StreamIdentity> &stream) {
  const auto whole = static_cast<size_t>(
      roundUp(static_cast<int64_t>(std::max<size_t>(bytes, 1)), int64_t{kAlignment}));
  Part *const part = found(whole, stream);
  if (!part)
    return std::nullopt;
  // A waiting part is not split: the rest would have to wait for the same event.
  auto rest = part->isFree && part->bytes > whole ? std::make_unique<Part>() : nullptr;
  used_.emplace(part->at, part);
  // Nothing throws after this.
  if (part->isFree && isWhole(*part))
    freeSegmentBytes_ -= part->bytes;
  (part->isFree ? free_ : waiting_).remove(*part);
  if (rest)
    split(*part, whole, std::move(rest));
  part->isFree = false;
  usedBytes_ += part->bytes;
  return Taken{part->at, std::exchange(part->event, nullptr)};
}

Arena::Part &Arena::takenOut(DevicePointer at) {
  const auto place = used_.find(at);
  assert(place != used_.end() && "only what was taken is given back");
  Part &part = *place->second;
  used_.erase(place);
  usedBytes_ -= part.bytes;
  return part;
}

void Arena::mergeWithAfter(Part &part) {
  Part *const gone = part.after;
  part.bytes += gone->bytes;
  part.after = gone->after;
  if (part.after)
    part.after->before = &part;
  delete gone;
}

// `part` is in no list.
void Arena::free(Part &part) {
  Part *whole = &part;
  if (part.after && part.after->isFree) {
    free_.remove(*part.after);
    mergeWithAfter(part);
  }
  if (part.before && part.before->isFree) {
    whole = part.before;
    free_.remove(*whole);
    mergeWithAfter(*whole);
  }
  whole->isFree = true;
  free_.push_back(*whole);
  if (isWhole(*whole))
    freeSegmentBytes_ += whole->bytes;
}

void Arena::giveBack(DevicePointer at) { free(takenOut(at)); }

void Arena::giveBack(DevicePointer at, const StreamIdentity &stream, void *event) {
  Part &part = takenOut(at);
  part.event = event;
  part.stream = stream;
  waiting_.push_back(part);
}

void Arena::settle(llvm::function_ref<bool(void *event)> isOver) {
  const Part *busy = nullptr; // later work of its stream is not over either
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    Part &part = *it++;
    if (busy && busy->stream == part.stream)
      continue;
    if (!isOver(part.event)) {
      busy = &part;
      continue;
    }
    part.event = nullptr;
    waiting_.remove(part);
    free(part);
  }
}

DeviceMemory Arena::removed(Segment &segment) {
  for (Part *part = segment.first; part;) {
    Part *const after = part->after;
    delete part;
    part = after;
  }
  const DeviceMemory memory = segment.memory;
  segments_.remove(segment);
  delete &segment;
  return memory;
}

std::optional<DeviceMemory> Arena::takeFreeSegment() {
  Part *largest = nullptr;
  for (Part &part : free_)
    if (isWhole(part) && (!largest || part.bytes > largest->bytes))
      largest = &part;
  if (!largest)
    return std::nullopt;
  freeSegmentBytes_ -= largest->bytes;
  free_.remove(*largest);
  return removed(*largest->segment);
}

std::vector<void *> Arena::events() {
  std::vector<void *> out;
  for (const Part &part : waiting_)
    out.push_back(part.event);
  return out;
}

std::optional<DeviceMemory> Arena::takeAnySegment(llvm::function_ref<void(void *event)> takeEvent) {
  if (segments_.empty())
    return std::nullopt;
  Segment &segment = segments_.front();
  for (Part *part = segment.first; part; part = part->after)
    if (part->isFree) {
      free_.remove(*part);
    } else if (part->event) {
      waiting_.remove(*part);
      takeEvent(part->event);
    } else {
      used_.erase(part->at);
      usedBytes_ -= part->bytes;
    }
  if (isWhole(*segment.first) && segment.first->isFree)
    freeSegmentBytes_ -= segment.memory.bytes;
  return removed(segment);
}

// --- Memory pool ---------------------------------------------------------------------------------

// Maps segments of memory, hands out parts of them, and keeps free ones for a while.

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
