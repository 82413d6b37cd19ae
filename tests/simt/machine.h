// The state of the one block that the executor runs, shared by its parts.
#pragma once

#include "tests/simt/executor.h"
#include "tests/simt/fiber.h"
#include "tests/simt/memory.h"

#include <map>
#include <vector>

namespace specmv::simt {

// A lane that has arrived at a collective.
struct Arrival {
  Collective kind;
  unsigned mask;
  uint64_t value;
  int argument, width;
  Site site;
};

struct Warp {
  uint32_t present = 0, ready = 0, waiting = 0,
           ended = 0; // sets of lanes; waiting: in a collective
  std::array<Arrival, 32> arrivals{};
  std::array<uint64_t, 32> results{};
};

struct Machine {
  const std::function<void()> *lane = nullptr;
  uint32_t threads = 0, sharedBytes = 0, block = 0, current = 0;
  unsigned seed = 0;
  uint32_t random = 1;
  std::array<Fiber, kMaxFibers> fibers;
  std::vector<Warp> warps;
  uint32_t readyWarps = 0;
  uint32_t ended = 0, atBarrier = 0;
  Site barrierSite{};
  std::map<const void *, Region *> shared; // by tag
  std::string finding;
  bool abandoned = false;
};

Machine &machine();

// Continues with another lane, and returns when this one is picked again.
void next();
void laneEnds(); // does not return; not marked noreturn, since such calls take 1 us under ASan
void setReady(Machine &m, uint32_t warp, uint32_t ready);
void clearShared(Region &region);
bool isSame(Site a, Site b);

// Explains why lane i of the warp waits in a collective that will not complete.
std::string incomplete(const Warp &warp, uint32_t i);

} // namespace specmv::simt
