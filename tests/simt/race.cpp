// Records who read and wrote each byte last, and finds accesses that race; race.h has the rules.
#include "tests/simt/race.h"

#include "tests/simt/executor.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unordered_map>
#include <vector>

// Belongs to the sanitizers' runtime, if one is linked; this unit is compiled without them.
extern "C" __attribute__((weak)) void __sanitizer_symbolize_pc(void *pc, const char *format,
                                                               char *out, size_t bytes);

namespace specmv::simt {
namespace {

// The writes that a block made visible with an atomic: its writes before `fence`, and those of
// lanes other than `lane` only if a barrier at `barrier` ordered them before the fence.
struct Release {
  uint64_t fence, barrier;
  uint16_t lane;
};

struct Clock {
  uint64_t now = 1;
  uint64_t launch = 1, block = 1, barrier = 1;
  std::array<uint64_t, 1024> fence{}; // the last one, by lane
  // [lane][other]: accesses of lane `other` of the same warp before this time are visible.
  std::vector<std::array<uint64_t, 32>> seen{1024};
  std::unordered_map<const void *, std::unordered_map<uint32_t, Release>> released;
  std::unordered_map<uint32_t, Release> acquired;
};

Clock &clock() {
  static Clock only;
  return only;
}

bool isOrderedAcrossBlocks(const Access &a) {
  const auto &acquired = clock().acquired;
  const auto it = acquired.find(a.block);
  if (it == acquired.end() || a.time >= it->second.fence)
    return false;
  return a.lane == it->second.lane || a.time < it->second.barrier;
}

bool isOrdered(const Region &region, const Access &a) {
  const Clock &c = clock();
  const uint32_t lane = currentLane();
  if (a.time < (region.shared ? c.block : c.launch)) // shared memory is new for every block
    return true;
  if (a.block != currentBlock())
    return isOrderedAcrossBlocks(a);
  if (a.lane == lane || a.time < c.barrier)
    return true;
  return a.lane / 32 == lane / 32 && a.time < c.seen[lane][a.lane % 32];
}

std::string placeOf(const void *pc) {
  std::array<char, 512> text{};
  if (&__sanitizer_symbolize_pc)
    __sanitizer_symbolize_pc(const_cast<void *>(pc), "%s:%l", text.data(), text.size());
  else
    std::snprintf(text.data(), text.size(), "pc %p", pc);
  return text.data();
}

std::string laneText(uint32_t block, uint32_t lane) {
  return "block " + std::to_string(block) + " lane " + std::to_string(lane);
}

const char *accessName(AccessKind kind) {
  static constexpr const char *kNames[] = {"read", "write", "atomic"};
  return kNames[static_cast<int>(kind)];
}

std::string describe(const Region &region, const char *p, AccessKind kind, const void *pc) {
  const auto at = (p - region.begin) / static_cast<ptrdiff_t>(region.element);
  return std::string(accessName(kind)) + " of " + region.name + "[" + std::to_string(at) + "] by " +
         laneText(currentBlock(), currentLane()) + " at " + placeOf(pc);
}

void reportRace(const Region &region, const char *p, AccessKind kind, const void *pc,
                const Access &before, const char *what) {
  report("race: " + describe(region, p, kind, pc) + " without order after the " + what + " by " +
         laneText(before.block, before.lane) + " at " + placeOf(before.pc));
}

// Records a read in this lane's slot, otherwise in the older of the two.
void remember(Cell &cell, const Access &access) {
  Access *slot = &cell.reads[0];
  const bool second = slot->lane != access.lane || slot->block != access.block;
  if (second && (cell.reads[1].time <= slot->time || cell.reads[1].lane == access.lane))
    slot = &cell.reads[1];
  *slot = access;
}

void checkCell(const Region &region, Cell &cell, const char *p, AccessKind kind, const void *pc) {
  const Access access{clock().now, pc, currentBlock(), static_cast<uint16_t>(currentLane()),
                      kind == AccessKind::atomic};
  if (!isOrdered(region, cell.write) && !(access.atomic && cell.write.atomic))
    reportRace(region, p, kind, pc, cell.write, cell.write.atomic ? "atomic" : "write");
  if (kind == AccessKind::load) {
    if (region.shared && cell.write.time < clock().block)
      report("uninitialized: " + describe(region, p, kind, pc) + ", which its block never wrote");
    return remember(cell, access);
  }
  for (Access &read : cell.reads) {
    if (!isOrdered(region, read))
      reportRace(region, p, kind, pc, read, "read");
    read = {};
  }
  cell.write = access;
}

} // namespace

void raceLaunchBegins() {
  Clock &c = clock();
  c.launch = ++c.now;
  c.released.clear();
}

void raceBlockBegins() {
  Clock &c = clock();
  c.block = c.barrier = ++c.now;
  c.acquired.clear(); // fence and seen keep times of earlier blocks, which say nothing here
}

void raceBlockBarrier() { clock().barrier = ++clock().now; }

void raceWarpBarrier(unsigned warp, unsigned mask) {
  Clock &c = clock();
  ++c.now;
  std::array<uint64_t, 32> joined{};
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned other = 0; mask >> lane & 1 && other < 32; ++other)
      joined[other] = std::max(joined[other], c.seen[warp * 32 + lane][other]);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      joined[lane] = c.now;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      c.seen[warp * 32 + lane] = joined;
}

void raceFence() { clock().fence[currentLane()] = ++clock().now; }

void raceAtomic(const void *p) {
  Clock &c = clock();
  auto &releases = c.released[p];
  for (const auto &[block, release] : releases)
    c.acquired[block] = release;
  const uint32_t lane = currentLane();
  if (c.fence[lane] < c.block)
    return;
  // Either the barrier comes before the lane's fence, or every lane fenced before the barrier.
  const uint64_t latest = *std::max_element(c.fence.begin(), c.fence.end());
  releases[currentBlock()] = {latest, c.barrier, static_cast<uint16_t>(lane)};
}

void checkAccess(const void *address, size_t bytes, AccessKind kind, const void *pc) {
  if (!inReservation(address) || !insideKernel())
    return;
  const char *p = static_cast<const char *>(address);
  Region *region = regionOf(p);
  if (!region)
    return abandon("wild " + std::string(accessName(kind)) + " at " + placeOf(pc));
  if (p < region->begin || p + bytes > region->end)
    return abandon("out of bounds: " + describe(*region, p, kind, pc) + ", which has " +
                   std::to_string(region->bytes() / region->element) + " elements");
  if (hasFinding()) // the first one is told; only the bounds still matter
    return;
  if (reinterpret_cast<uintptr_t>(p) % bytes != 0)
    report("misaligned: " + describe(*region, p, kind, pc) + " of " + std::to_string(bytes) +
           " bytes");
  if (!region->writable) {
    if (kind != AccessKind::load)
      report("constant: " + describe(*region, p, kind, pc) + ", which no argument may write");
    return;
  }
  const size_t first = static_cast<size_t>(p - region->begin) / region->element;
  const size_t last = static_cast<size_t>(p + bytes - 1 - region->begin) / region->element;
  for (size_t i = first; i <= last; ++i)
    checkCell(*region, region->cells[i], region->begin + i * region->element, kind, pc);
}

} // namespace specmv::simt
