// Tests the bookkeeping of device memory: parts do not overlap, memory that is still in use is not
// given out, and free neighbours are merged.
#include "runtime/cuda/memory_pool.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

using namespace specmv;

namespace {

constexpr size_t kMega = size_t{1} << 20;

StreamIdentity stream(uintptr_t number) {
  return {{reinterpret_cast<StreamHandle>(number << 8), {}}, number};
}
void *event(uintptr_t number) { return reinterpret_cast<void *>(number); }

DevicePointer taken(Arena &arena, size_t bytes, std::optional<StreamIdentity> of = std::nullopt) {
  const auto part = arena.take(bytes, of);
  REQUIRE(part);
  return part->at;
}

const auto kAllOver = [](void *) { return true; };
const auto kNoneOver = [](void *) { return false; };

} // namespace

TEST_CASE("an arena without memory gives none, and what it has comes back as one piece") {
  Arena arena;
  CHECK_FALSE(arena.take(1, std::nullopt));
  CHECK_FALSE(arena.takeFreeSegment());
  arena.addSegment({0x1000000, 8 * kMega}, Arena::Serves::large);
  CHECK(arena.freeSegmentBytes() == 8 * kMega);
  const DevicePointer a = taken(arena, 2 * kMega), b = taken(arena, 2 * kMega),
                      c = taken(arena, 4 * kMega);
  CHECK(std::set<DevicePointer>{a, b, c}.size() == 3);
  CHECK(arena.usedBytes() == 8 * kMega);
  CHECK(arena.freeSegmentBytes() == 0);
  CHECK_FALSE(arena.take(2 * kMega, std::nullopt));
  arena.giveBack(b);
  CHECK_FALSE(arena.takeFreeSegment());
  CHECK(taken(arena, 2 * kMega) == b);
  arena.giveBack(a);
  arena.giveBack(c);
  arena.giveBack(b); // both of its neighbours are free
  CHECK(arena.usedBytes() == 0);
  const auto whole = arena.takeFreeSegment();
  REQUIRE(whole);
  CHECK(whole->at == 0x1000000);
  CHECK(whole->bytes == 8 * kMega);
  CHECK(arena.freeSegmentBytes() == 0);
}

TEST_CASE("small parts and large ones come from segments of their own") {
  Arena arena;
  arena.addSegment({0x1000000, 8 * kMega}, Arena::Serves::large);
  CHECK_FALSE(arena.take(100, std::nullopt));
  arena.addSegment({0x9000000, 2 * kMega}, Arena::Serves::small);
  CHECK(taken(arena, 100) == 0x9000000);
  CHECK(taken(arena, 100) == 0x9000000 + Arena::kAlignment);
  CHECK(taken(arena, kMega) == 0x1000000);
}

TEST_CASE("a segment may serve parts of all sizes") {
  Arena arena;
  CHECK(arena.isEmpty());
  arena.addSegment({0x1000000, 8 * kMega}, Arena::Serves::all);
  CHECK_FALSE(arena.isEmpty());
  CHECK(taken(arena, 100) == 0x1000000);
  CHECK(taken(arena, kMega) == 0x1000000 + Arena::kAlignment);
  // If there are both, the smallest sufficient piece is used.
  arena.addSegment({0x9000000, 2 * kMega}, Arena::Serves::small);
  CHECK(taken(arena, 100) == 0x9000000);
  CHECK(taken(arena, 4 * kMega) == 0x1000000 + Arena::kAlignment + kMega);
}

TEST_CASE("what waits for an event is free for its stream alone until the event is over") {
  Arena arena;
  arena.addSegment({0x1000000, 2 * kMega}, Arena::Serves::large);
  const DevicePointer at = taken(arena, 2 * kMega);
  arena.giveBack(at, stream(1), event(7));
  CHECK(arena.usedBytes() == 0);
  CHECK_FALSE(arena.take(2 * kMega, std::nullopt));
  CHECK_FALSE(arena.take(2 * kMega, stream(2)));
  const auto again = arena.take(2 * kMega, stream(1));
  REQUIRE(again);
  CHECK(again->at == at);
  CHECK(again->event == event(7)); // the caller's again
  arena.giveBack(at, stream(1), event(8));
  arena.settle(kNoneOver);
  CHECK_FALSE(arena.takeFreeSegment());
  int asked = 0;
  arena.settle([&](void *of) {
    CHECK(of == event(8));
    return ++asked == 1;
  });
  CHECK(asked == 1);
  CHECK(arena.take(2 * kMega, stream(2)));
}

TEST_CASE("a part that waits is not taken for much less, nor where streams have no numbers") {
  Arena arena;
  arena.addSegment({0x1000000, 8 * kMega}, Arena::Serves::large);
  arena.giveBack(taken(arena, 8 * kMega), stream(1), event(1));
  CHECK_FALSE(arena.take(3 * kMega, stream(1)));
  StreamIdentity without = stream(2);
  without.number = 0;
  arena.settle(kAllOver);
  arena.giveBack(taken(arena, 8 * kMega), without, event(1));
  CHECK_FALSE(arena.take(8 * kMega, without));
}

TEST_CASE("a size is large or small before it is rounded as it is afterwards") {
  Arena arena;
  for (size_t bytes = kMega - 2 * Arena::kAlignment; bytes <= kMega; ++bytes) {
    const bool isLarge = Arena::isLarge(bytes);
    CHECK(isLarge == (bytes > kMega - Arena::kAlignment));
    arena.addSegment({0x1000000, 2 * kMega}, isLarge ? Arena::Serves::large : Arena::Serves::small);
    arena.giveBack(taken(arena, bytes));
    CHECK(arena.takeFreeSegment());
  }
}

TEST_CASE(
    "a large segment that is free is not kept by a small part, and the largest leaves first") {
  Arena arena;
  arena.addSegment({0x1000000, 40 * kMega}, Arena::Serves::large);
  CHECK_FALSE(arena.take(2 * kMega, std::nullopt));
  arena.giveBack(taken(arena, 20 * kMega));
  arena.addSegment({0x9000000, Arena::kSegment}, Arena::Serves::large);
  CHECK(taken(arena, 2 * kMega) == 0x9000000);
  arena.giveBack(0x9000000);
  arena.addSegment({0x20000000, 64 * kMega}, Arena::Serves::large);
  CHECK(arena.takeFreeSegment()->bytes == 64 * kMega);
  CHECK(arena.takeFreeSegment()->bytes == 40 * kMega);
  CHECK(arena.takeFreeSegment()->bytes == Arena::kSegment);
}

TEST_CASE("a large part that waits is taken for hardly less") {
  Arena arena;
  arena.addSegment({0x1000000, 90 * kMega}, Arena::Serves::large);
  arena.giveBack(taken(arena, 90 * kMega), stream(1), event(1));
  CHECK_FALSE(arena.take(79 * kMega, stream(1)));
  CHECK(arena.take(80 * kMega, stream(1)));
}

TEST_CASE("a segment may be removed with all that it has") {
  Arena arena;
  arena.addSegment({0x1000000, 8 * kMega}, Arena::Serves::large);
  taken(arena, 2 * kMega);
  const DevicePointer waits = taken(arena, 2 * kMega);
  arena.giveBack(waits, stream(1), event(5));
  void *mine = nullptr;
  CHECK(arena.takeAnySegment([&](void *of) { mine = of; })->at == 0x1000000);
  CHECK(mine == event(5));
  CHECK(arena.usedBytes() == 0);
  CHECK_FALSE(arena.takeAnySegment([](void *) {}));
}

// Compares with a list of the parts in use: 20,000 random calls on three streams.
TEST_CASE("parts never overlap, whatever is taken, given back and settled") {
  std::mt19937 random(1);
  const auto below = [&](size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random);
  };
  Arena arena;
  std::map<DevicePointer, size_t> used;    // with the bytes asked for
  std::map<DevicePointer, size_t> waiting; // of parts that others may not have
  std::map<void *, DevicePointer> events;
  size_t segments = 0, all = 0;
  uintptr_t nextEvent = 0;
  for (int call = 0; call < 20000; ++call) {
    const StreamIdentity of = stream(1 + below(3));
    if (below(2) == 0) {
      const size_t bytes = 1 + below(below(2) == 0 ? 4096 : 6 * kMega);
      auto part = arena.take(bytes, below(2) == 0 ? std::optional(of) : std::nullopt);
      if (!part) {
        const bool isLarge = Arena::isLarge(bytes);
        const size_t size = isLarge ? 8 * kMega : 2 * kMega;
        arena.addSegment({0x100000000 + ++segments * 16 * kMega, size},
                         isLarge ? Arena::Serves::large : Arena::Serves::small);
        all += size;
        part = arena.take(bytes, std::nullopt);
      }
      REQUIRE(part);
      if (part->event) {
        REQUIRE(waiting.erase(part->at) == 1);
        events.erase(part->event);
      }
      CHECK(part->at % Arena::kAlignment == 0);
      for (const auto *others : {&used, &waiting}) {
        const auto next = others->lower_bound(part->at);
        CHECK((next == others->end() || part->at + bytes <= next->first));
        CHECK((next == others->begin() ||
               std::prev(next)->first + std::prev(next)->second <= part->at));
      }
      used.emplace(part->at, bytes);
    } else if (!used.empty()) {
      const auto one = std::next(used.begin(), static_cast<std::ptrdiff_t>(below(used.size())));
      const DevicePointer at = one->first;
      if (below(2) == 0) {
        arena.giveBack(at);
      } else {
        void *const mark = event(++nextEvent);
        events.emplace(mark, at);
        waiting.emplace(*one);
        arena.giveBack(at, of, mark);
      }
      used.erase(one);
    }
    if (below(10) == 0)
      arena.settle([&](void *mark) {
        if (below(2) == 0)
          return false;
        waiting.erase(events.at(mark));
        events.erase(mark);
        return true;
      });
    if (below(100) == 0)
      while (const auto gone = arena.takeFreeSegment())
        all -= gone->bytes;
  }
  for (const auto &[at, bytes] : used)
    arena.giveBack(at);
  arena.settle(kAllOver);
  CHECK(arena.usedBytes() == 0);
  CHECK(arena.freeSegmentBytes() == all);
  while (const auto gone = arena.takeFreeSegment())
    all -= gone->bytes;
  CHECK(all == 0);
}
