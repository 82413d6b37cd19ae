// Tracks which parts of pieces of device memory are in use, and which are free. It does not call
// the driver: its user supplies the pieces and says which events are over.
#pragma once

#include "runtime/cuda/stream_key.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/simple_ilist.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace specmv {

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

} // namespace specmv
