// Takes parts of segments by best fit, and merges free parts with their neighbours.
#include "runtime/cuda/arena.h"

#include "models/base/rounding.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace specmv {

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

} // namespace specmv
