// Orders the lanes of a block, and holds its barrier, shared memory and findings.
#include "tests/simt/executor.h"

#include "tests/simt/fiber.h"
#include "tests/simt/machine.h"
#include "tests/simt/memory.h"
#include "tests/simt/race.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

SimtDim3 threadIdx, blockIdx, blockDim, gridDim;

namespace specmv::simt {

Machine &machine() {
  static Machine only;
  return only;
}

namespace {

uint32_t nextRandom(uint32_t &state) { // xorshift32
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

uint32_t lowest(uint32_t bits) { return static_cast<uint32_t>(__builtin_ctz(bits)); }
uint32_t highest(uint32_t bits) { return 31 - static_cast<uint32_t>(__builtin_clz(bits)); }

// Picks one of the set bits, depending on the seed.
uint32_t pick(Machine &m, uint32_t bits) {
  if (m.seed == 0)
    return lowest(bits);
  if (m.seed == 1)
    return highest(bits);
  const uint32_t turn = nextRandom(m.random) % 32;
  const uint32_t turned = bits >> turn | (turn ? bits << (32 - turn) : 0);
  return (lowest(turned) + turn) % 32;
}

// Picks the warp to continue: the current one as long as it can run, so that its lanes meet; random
// seeds also switch at any time.
uint32_t pickWarp(Machine &m) {
  const uint32_t own = m.current / 32;
  const bool stays = m.readyWarps >> own & 1 && (m.seed < 2 || nextRandom(m.random) % 8 != 0);
  return stays ? own : pick(m, m.readyWarps);
}

void makeCurrent(Machine &m, uint32_t lane) {
  m.current = lane;
  threadIdx = {lane, 0, 0};
}

void laneMain() {
  Machine &m = machine();
  entered(m.fibers[m.current]);
  (*m.lane)();
  laneEnds();
}

std::string tooFew(const Machine &m) {
  return "barrier at " + where(m.barrierSite) + " was reached by " + std::to_string(m.atBarrier) +
         " of " + std::to_string(m.threads) + " lanes, " + std::to_string(m.ended) + " have ended";
}

// Called when no lane can continue: reports the incomplete barrier or collective.
[[noreturn]] void stuck(Machine &m) {
  for (const Warp &warp : m.warps)
    for (uint32_t i = 0; i < 32; ++i)
      if (warp.waiting >> i & 1)
        abandon(incomplete(warp, i));
  abandon(tooFew(m));
}

void runBlock(Machine &m) {
  const uint32_t warps = (m.threads + 31) / 32;
  m.warps.assign(warps, {});
  for (uint32_t w = 0; w < warps; ++w) {
    const uint32_t lanes = std::min(32U, m.threads - 32 * w);
    m.warps[w].present = m.warps[w].ready = lanes == 32 ? ~0U : (1U << lanes) - 1;
  }
  m.readyWarps = warps == 32 ? ~0U : (1U << warps) - 1;
  m.ended = m.atBarrier = 0;
  for (auto &[tag, region] : m.shared)
    clearShared(*region);
  for (uint32_t i = 0; i < m.threads; ++i)
    prepare(m.fibers[i], static_cast<int>(i), laneMain);
  raceBlockBegins();
  makeCurrent(m, 32 * pick(m, m.readyWarps) + pick(m, m.warps[0].present));
  if (m.current >= m.threads)
    makeCurrent(m, 0);
  switchFiber(hostFiber(), m.fibers[m.current]);
  if (m.abandoned)
    abandonStacks(static_cast<int>(m.threads));
}

std::vector<uint32_t> blockOrder(Machine &m, uint32_t blocks) {
  std::vector<uint32_t> order(blocks);
  std::iota(order.begin(), order.end(), 0U);
  if (m.seed == 1)
    std::reverse(order.begin(), order.end());
  for (uint32_t i = blocks; m.seed > 1 && i > 1; --i)
    std::swap(order[i - 1], order[nextRandom(m.random) % i]);
  return order;
}

} // namespace

void clearShared(Region &region) { std::memset(region.begin, 0xFF, region.bytes()); }

void next() {
  Machine &m = machine();
  Fiber &from = m.fibers[m.current];
  if (m.readyWarps == 0)
    stuck(m);
  const uint32_t warp = pickWarp(m);
  const uint32_t before = m.current;
  makeCurrent(m, 32 * warp + pick(m, m.warps[warp].ready));
  if (m.current != before)
    switchFiber(from, m.fibers[m.current]);
}

void laneEnds() {
  Machine &m = machine();
  Warp &warp = m.warps[m.current / 32];
  const uint32_t bit = 1U << m.current % 32;
  warp.ended |= bit;
  setReady(m, m.current / 32, warp.ready & ~bit);
  ++m.ended;
  for (uint32_t i = 0; i < 32; ++i)
    if (warp.waiting >> i & 1 && warp.arrivals[i].mask & bit)
      abandon(incomplete(warp, i));
  if (m.atBarrier > 0 && m.ended + m.atBarrier == m.threads)
    abandon(tooFew(m));
  Fiber &self = m.fibers[m.current];
  if (m.ended == m.threads)
    switchFiber(self, hostFiber(), true);
  if (m.readyWarps == 0)
    stuck(m);
  const uint32_t warpNext = pickWarp(m);
  makeCurrent(m, 32 * warpNext + pick(m, m.warps[warpNext].ready));
  switchFiber(self, m.fibers[m.current], true);
  std::abort(); // nobody continues a lane that ended
}

void setReady(Machine &m, uint32_t warp, uint32_t ready) {
  m.warps[warp].ready = ready;
  const uint32_t bit = 1U << warp;
  m.readyWarps = ready ? m.readyWarps | bit : m.readyWarps & ~bit;
}

void blockBarrier(Site site) {
  Machine &m = machine();
  if (m.atBarrier > 0 && !isSame(site, m.barrierSite))
    abandon("barrier at " + where(site) + " by lane " + std::to_string(m.current) +
            " while others wait in the barrier at " + where(m.barrierSite));
  m.barrierSite = site;
  if (m.ended + ++m.atBarrier == m.threads && m.ended > 0)
    abandon(tooFew(m));
  if (m.atBarrier < m.threads) {
    setReady(m, m.current / 32, m.warps[m.current / 32].ready & ~(1U << m.current % 32));
    return next();
  }
  m.atBarrier = 0;
  for (uint32_t w = 0; w < m.warps.size(); ++w)
    setReady(m, w, m.warps[w].present);
  raceBlockBarrier();
}

void *sharedArray(const void *tag, const char *name, unsigned long elementBytes,
                  unsigned long alignment, unsigned long count) {
  Region *&region = machine().shared[tag];
  if (!region) {
    region = allocate(name, elementBytes * count, elementBytes, alignment);
    region->shared = true;
    trackWrites(*region);
    clearShared(*region);
  }
  return region->begin;
}

void needDynamicShared(unsigned long bytes) {
  if (const Machine &m = machine(); bytes > m.sharedBytes)
    report("shared: the kernel needs " + std::to_string(bytes) + " dynamic bytes, its launch has " +
           std::to_string(m.sharedBytes));
}

void fence() { raceFence(); }

// A value that a lane read before may have changed by then: random seeds let other lanes run first.
void atomicAccess(void *p, unsigned bytes, Site) {
  if (Machine &m = machine(); m.seed > 1 && nextRandom(m.random) % 4 == 0)
    next();
  raceAtomic(p);
  checkAccess(p, bytes, AccessKind::atomic, __builtin_return_address(0));
}

void checkAligned(const void *p, unsigned bytes) {
  if (reinterpret_cast<uintptr_t>(p) % bytes != 0)
    report("misaligned: a vector of " + std::to_string(bytes) + " bytes at " +
           (regionOf(p) ? regionOf(p)->name : "memory of the lane"));
}

void report(std::string sentence) {
  std::string &finding = machine().finding;
  if (finding.empty())
    finding = std::move(sentence);
}

bool hasFinding() { return !machine().finding.empty(); }

void abandon(std::string sentence) {
  Machine &m = machine();
  report(std::move(sentence));
  m.abandoned = true;
  switchFiber(m.fibers[m.current], hostFiber(), true);
  std::abort(); // nobody continues an abandoned block
}

bool isSame(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string where(Site site) {
  const char *slash = std::strrchr(site.file, '/');
  return std::string(slash ? slash + 1 : site.file) + ":" + std::to_string(site.line);
}

uint32_t currentLane() { return machine().current; }
uint32_t currentBlock() { return machine().block; }
bool insideKernel() { return machine().lane != nullptr; }

std::string execute(const Shape &shape, const std::function<void()> &lane, unsigned seed) {
  Machine &m = machine();
  m.finding.clear();
  m.abandoned = false;
  m.lane = &lane;
  m.threads = shape.blockThreads;
  m.sharedBytes = shape.sharedBytes;
  m.seed = seed;
  m.random = 2463534242U + seed;
  blockDim = {shape.blockThreads, 1, 1};
  gridDim = {shape.grid[0], shape.grid[1], shape.grid[2]};
  raceLaunchBegins();
  for (uint32_t block : blockOrder(m, shape.grid[0] * shape.grid[1] * shape.grid[2])) {
    m.block = block;
    blockIdx = {block % gridDim.x, block / gridDim.x % gridDim.y, block / gridDim.x / gridDim.y};
    runBlock(m);
    if (m.abandoned)
      break;
  }
  for (auto &[tag, region] : m.shared)
    release(region);
  m.shared.clear();
  m.lane = nullptr;
  return m.finding;
}

} // namespace specmv::simt
