// Which parts of pieces of device memory are in use, and which are free. It only keeps the books:
// it calls no driver, and whoever uses it says where the pieces are and which events are over.
#pragma once

#include "runtime/cuda/stream_key.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/simple_ilist.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace specmv {

// Not thread-safe. What gives memory back allocates nothing, so that destructors can.
//
// A part that was given back behind work is not free for others until the event behind that work is
// over; only its stream may have it again before, since that work comes first there.
class Arena {
public:
  // Parts begin at multiples of this, as all that the driver allocates.
  static constexpr size_t kAlignment = 512;
  // Smaller parts come from segments for such parts alone, or from one that serves all. Else a few
  // bytes that stay would keep many large segments from the driver.
  static constexpr size_t kLarge = size_t{1} << 20;
  // The answer is the same for bytes as asked for and as rounded.
  static bool isLarge(size_t bytes) { return bytes > kLarge - kAlignment; }
  // A larger segment that is free as a whole serves parts of at least half its size only: a small
  // one that stays would keep all of it from the driver.
  static constexpr size_t kSegment = size_t{32} << 20;

  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  // Tells which parts come from a segment.
  enum class Serves : uint8_t { small, large, all };
  // A piece of memory, free as a whole.
  void addSegment(DeviceMemory memory, Serves serves);
  bool isEmpty() const { return segments_.empty(); }

  struct Taken {
    DevicePointer at = 0;
    void *event = nullptr; // of the work behind which it was given back; the caller's again
  };
  // The smallest free part that has so many bytes; nullopt if there is none. With a stream, one
  // that was given back on it and is hardly larger comes first.
  std::optional<Taken> take(size_t bytes, const std::optional<StreamIdentity> &stream);

  // Gives a part back that no work uses any more, or that work before the event on the stream uses.
  void giveBack(DevicePointer at);
  void giveBack(DevicePointer at, const StreamIdentity &stream, void *event);
  // Frees the parts whose events are over. isOver(event) is asked once for each; where it is true
  // the event is the caller's again.
  void settle(llvm::function_ref<bool(void *event)> isOver);

  // Removes the largest segment that is free as a whole; nullopt if there is none.
  std::optional<DeviceMemory> takeFreeSegment();
  // Removes any segment with all that it has; nullopt if there is none. The events of its parts are
  // the caller's again.
  std::optional<DeviceMemory> takeAnySegment(llvm::function_ref<void(void *event)> takeEvent);

  // Lists the events of the parts that wait.
  std::vector<void *> events();

  // Counts the parts in use. A part that was given back behind work that goes on is not in use.
  size_t usedBytes() const { return usedBytes_; }
  // Counts the segments that are free as a whole.
  size_t freeSegmentBytes() const { return freeSegmentBytes_; }

private:
  struct Segment;
  // Parts of a segment are linked in the order of their addresses; a part that is not in use is
  // also in one of the lists below.
  struct Part : llvm::ilist_node<Part> {
    Segment *segment = nullptr;
    DevicePointer at = 0;
    size_t bytes = 0;
    Part *before = nullptr, *after = nullptr;
    bool isFree = false;
    void *event = nullptr; // of a part that waits
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
  Parts free_, waiting_; // the longest waiting first
  std::unordered_map<DevicePointer, Part *> used_;
  size_t usedBytes_ = 0, freeSegmentBytes_ = 0;
};

} // namespace specmv
