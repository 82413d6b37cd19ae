// Device memory: where it is, who allocates it, and specmv's own pool of it.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory_source.h"
#include "runtime/cuda/streams.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/simple_ilist.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace specmv {

// --- Memory place --------------------------------------------------------------------------------

// Finds where memory is: on the host, or on which GPU.

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

// --- Mapped memory -------------------------------------------------------------------------------

// Maps and unmaps device memory with the driver's functions for virtual memory. Unlike cuMemFree
// they wait for no work of the GPU, and unlike the driver's own pool they do not take 8 ms for the
// first allocation of a process.

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

// --- Arena ---------------------------------------------------------------------------------------

// Tracks which parts of pieces of device memory are in use, and which are free. It does not call
// the driver: its user supplies the pieces and says which events are over.

// Not thread-safe. Giving memory back allocates nothing, so that destructors can do it.
//
// A part that was given back behind work stays reserved until the event behind that work is over.
// Only the same stream may have it again earlier, since that work comes first there.
class Arena {
public:
  // Parts begin at multiples of this, like all driver allocations.
  static constexpr size_t kAlignment = 512;
  // Smaller parts come from segments for small parts only, or from one segment for all sizes.
  // Otherwise a few small parts in use could keep many large segments from being returned to the
  // driver.
  static constexpr size_t kLarge = size_t{1} << 20;
  // Returns the same for the requested and for the rounded number of bytes.
  static bool isLarge(size_t bytes) { return bytes > kLarge - kAlignment; }
  // Only parts of at least half its size are taken from a larger segment that is wholly free. A
  // small part in use would keep all of it from being returned to the driver.
  static constexpr size_t kSegment = size_t{32} << 20;

  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  // Selects which parts come from a segment.
  enum class Serves : uint8_t { small, large, all };
  // Adds a piece of memory, wholly free.
  void addSegment(DeviceMemory memory, Serves serves);
  bool isEmpty() const { return segments_.empty(); }

  struct Taken {
    DevicePointer at = 0;
    void *event = nullptr; // behind the work that used it; the caller owns it again
  };
  // Takes the smallest free part with this many bytes; nullopt if there is none. With a stream, a
  // part that was given back on it and is hardly larger is preferred.
  std::optional<Taken> take(size_t bytes, const std::optional<StreamIdentity> &stream);

  // Gives back a part that no work uses any more, or that only work before the event on the stream
  // uses.
  void giveBack(DevicePointer at);
  void giveBack(DevicePointer at, const StreamIdentity &stream, void *event);
  // Frees the parts whose events are over. isOver(event) is called once for each; if it returns
  // true, the caller owns the event again.
  void settle(llvm::function_ref<bool(void *event)> isOver);

  // Removes the largest wholly free segment; nullopt if there is none.
  std::optional<DeviceMemory> takeFreeSegment();
  // Removes any segment with all its parts; nullopt if there is none. The caller owns the events of
  // its parts again.
  std::optional<DeviceMemory> takeAnySegment(llvm::function_ref<void(void *event)> takeEvent);

  // Lists the events of the waiting parts.
  std::vector<void *> events();

  // Returns the bytes in use. A part that was given back behind unfinished work is not in use.
  size_t usedBytes() const { return usedBytes_; }
  // Returns the bytes of the wholly free segments.
  size_t freeSegmentBytes() const { return freeSegmentBytes_; }

private:
  struct Segment;
  // Parts of a segment are linked in address order; a part that is not in use is also in one of the
  // lists below.
  struct Part : llvm::ilist_node<Part> {
    Segment *segment = nullptr;
    DevicePointer at = 0;
    size_t bytes = 0;
    Part *before = nullptr, *after = nullptr;
    bool isFree = false;
    void *event = nullptr; // of a waiting part
    StreamIdentity stream = {};
  };
  struct Segment : llvm::ilist_node<Segment> {
    DeviceMemory memory = {};
    Serves serves = Serves::all;
    Part *first = nullptr;
  };
  using Parts = llvm::simple_ilist<Part>;

  static bool serves(const Segment &segment, size_t bytes);
  static Part *bestOf(Parts &parts, size_t bytes, llvm::function_ref<bool(const Part &)> mayBe);
  static bool isWhole(const Part &part) { return !part.before && !part.after; }
  Part *found(size_t bytes, const std::optional<StreamIdentity> &stream);
  void split(Part &part, size_t bytes, std::unique_ptr<Part> rest);
  Part &takenOut(DevicePointer at);
  void free(Part &part);
  static void mergeWithAfter(Part &part);
  DeviceMemory removed(Segment &segment);

  llvm::simple_ilist<Segment> segments_;
  Parts free_, waiting_; // the longest-waiting first
  std::unordered_map<DevicePointer, Part *> used_;
  size_t usedBytes_ = 0, freeSegmentBytes_ = 0;
};

// --- Memory pool ---------------------------------------------------------------------------------

// Allocates device memory from specmv's own pool, so that a set-up waits neither for the driver nor
// for other work.

// Memory from allocate() may be used on every stream at once; memory passed to release() must not
// be in use by any work. Neither call waits for work of the program. A GPU with another source of
// memory uses that one, with the same rule.
//
// The driver's pool is not used. Its first allocation in a process takes 7 to 9 ms, here 40 us;
// mapping memory takes 1.5 us a megabyte, here 0.03 us (H200, driver 580.159). A set-up beyond L2
// takes less than a millisecond.
class MemoryPool {
public:
  // If the device or its driver cannot map memory, or if SPECMV_PLAIN_MEMORY is set, each
  // allocation is a separate one of the driver (cuMemAlloc). compute-sanitizer then sees its
  // bounds, and freeing waits for all work of the GPU.
  MemoryPool(const GpuDevice &gpu, CUdevice device);
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;
  ~MemoryPool();

  // Status::gpuMemory if there is not enough memory.
  llvm::Expected<DevicePointer> allocate(const GpuDevice &gpu, size_t bytes);
  // Call this and all functions below in the context of the GPU.
  void release(const GpuDevice &gpu, DeviceMemory memory);
  // Allocates and releases in stream order, without waiting: for memory that only that stream uses.
  // Such memory may be released by the other release() after the stream was synchronized.
  llvm::Expected<DevicePointer> allocate(const GpuDevice &gpu, size_t bytes, StreamHandle stream);
  void release(const GpuDevice &gpu, DeviceMemory memory, StreamHandle stream);

  // Returns the bytes allocated now, and the peak since the last call.
  MemoryUse takeUse();
  // Waits for the work behind which memory was released, and unmaps free memory.
  void trim();

private:
  llvm::Expected<DevicePointer> allocated(const GpuDevice &gpu, size_t bytes,
                                          const StreamHandle *stream);
  CUresult take(size_t bytes, const std::optional<StreamIdentity> &stream, DevicePointer &out,
                const char *&failed, std::unique_lock<std::mutex> &lock);
  CUresult addSegment(size_t bytes, const char *&failed);
  // If a stream is given, its work so far may still use the memory.
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
  bool isMapped_ = false;  // false: each allocation is the driver's
  size_t deviceBytes_ = 0; // total of the GPU

  std::mutex mutex_; // guards the rest
  // Other sources work in stream order. Memory for all streams uses this stream, which has no other
  // work. Made at first use.
  UniqueHandle<CUstream, OwnedBy<CUresult (*)(CUstream)>> idleStream_;
  Arena arena_;
  std::vector<CUevent> spare_; // unused events; has capacity for all events made
  size_t events_ = 0;          // number made
  MemoryUse use_;
};

} // namespace specmv
