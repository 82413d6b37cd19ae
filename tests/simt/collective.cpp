// Warp collectives: the last lane of a mask to arrive computes the result of every one.
#include "tests/simt/machine.h"
#include "tests/simt/race.h"

namespace specmv::simt {
namespace {

constexpr uint64_t kNothing = ~0ULL; // NaN as float and double, -1 as an integer

bool isSamePlace(const Arrival &a, const Arrival &b) {
  return a.kind == b.kind && a.mask == b.mask && a.width == b.width && isSame(a.site, b.site);
}

bool isComplete(const Warp &warp, const Arrival &own) {
  if ((warp.waiting & own.mask) != own.mask)
    return false;
  for (uint32_t i = 0; i < 32; ++i)
    if (own.mask >> i & 1 && !isSamePlace(warp.arrivals[i], own))
      return false;
  return true;
}

// Returns the lane whose value lane i receives; i itself where CUDA specifies so.
uint32_t sourceLane(const Arrival &a, uint32_t i) {
  const int width = a.width, inGroup = static_cast<int>(i) % width;
  const int group = static_cast<int>(i) - inGroup;
  auto within = [&](int lane) {
    return static_cast<uint32_t>(lane >= 0 && lane < width ? group + lane : static_cast<int>(i));
  };
  if (a.kind == Collective::up)
    return within(inGroup - a.argument);
  if (a.kind == Collective::down)
    return within(inGroup + a.argument);
  if (a.kind == Collective::exclusive) { // may reach into an earlier group, not into a later one
    const int lane = static_cast<int>(i) ^ a.argument;
    return static_cast<uint32_t>(lane < group + width ? lane & 31 : static_cast<int>(i));
  }
  return static_cast<uint32_t>(group + (a.argument & (width - 1)));
}

uint64_t shuffleResult(const Warp &warp, uint32_t i) {
  const uint32_t from = sourceLane(warp.arrivals[i], i);
  return warp.arrivals[i].mask >> from & 1 ? warp.arrivals[from].value : kNothing;
}

void complete(Warp &warp, const Arrival &own) {
  uint32_t votes = 0;
  for (uint32_t i = 0; i < 32; ++i)
    votes |= (own.mask >> i & 1 && warp.arrivals[i].value ? 1U : 0U) << i;
  const bool shuffles = own.kind >= Collective::shuffle;
  const uint64_t vote = own.kind == Collective::any   ? votes != 0
                        : own.kind == Collective::all ? votes == own.mask
                                                      : votes;
  for (uint32_t i = 0; i < 32; ++i)
    if (own.mask >> i & 1)
      warp.results[i] = shuffles ? shuffleResult(warp, i) : vote;
}

const char *nameOf(Collective kind) {
  static constexpr const char *kNames[] = {"__syncwarp",       "__ballot_sync",  "__any_sync",
                                           "__all_sync",       "__shfl_sync",    "__shfl_up_sync",
                                           "__shfl_down_sync", "__shfl_xor_sync"};
  return kNames[static_cast<int>(kind)];
}

std::string hex(uint32_t mask) {
  static constexpr const char *kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4)
    text += kDigits[mask >> shift & 15];
  return text;
}

std::string called(const Arrival &a) {
  return std::string(nameOf(a.kind)) + "(" + hex(a.mask) + ") at " + where(a.site);
}

} // namespace

std::string incomplete(const Warp &warp, uint32_t i) {
  const Arrival &own = warp.arrivals[i];
  std::string text = "divergence: lane " + std::to_string(i) + " waits in " + called(own);
  if (own.mask & warp.ended)
    return text + ", but the lanes " + hex(own.mask & warp.ended) + " have ended";
  for (uint32_t other = 0; other < 32; ++other)
    if (own.mask & warp.waiting & 1U << other && !isSamePlace(warp.arrivals[other], own))
      return text + ", but lane " + std::to_string(other) + " in " + called(warp.arrivals[other]);
  return text + ", but the lanes " + hex(own.mask & ~warp.waiting) + " wait in a block barrier";
}

unsigned long long collective(Collective kind, unsigned mask, unsigned long long value,
                              int argument, int width, Site site) {
  Machine &m = machine();
  const uint32_t warpIndex = m.current / 32, lane = m.current % 32, bit = 1U << lane;
  Warp &warp = m.warps[warpIndex];
  const Arrival own{kind, mask, value, argument, width, site};
  if (!(mask & bit))
    abandon("divergence: lane " + std::to_string(lane) + " is not in the mask of its " +
            called(own));
  if (width < 1 || width > 32 || (width & (width - 1)) != 0)
    abandon("width " + std::to_string(width) + " of " + called(own));
  warp.arrivals[lane] = own;
  warp.waiting |= bit;
  if (mask & (warp.ended | ~warp.present))
    abandon(incomplete(warp, lane));
  if (!isComplete(warp, own)) {
    setReady(m, warpIndex, warp.ready & ~bit);
    next();
    return warp.results[lane];
  }
  complete(warp, own);
  warp.waiting &= ~mask;
  setReady(m, warpIndex, warp.ready | mask);
  if (kind == Collective::sync)
    raceWarpBarrier(warpIndex, mask);
  return warp.results[lane];
}

} // namespace specmv::simt
