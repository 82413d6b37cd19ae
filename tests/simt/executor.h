// The host executor: runs a kernel's blocks one after another, with each lane as a fiber, and
// reports errors that on a GPU would cause a hang or a wrong number.
//
// A warp collective is complete when every lane of its mask waits in the same collective (kind,
// mask, line of the source). The last lane to arrive computes it for all. The executor reports a
// caller that is not in its own mask, and a lane that ended although a mask names it. It also
// reports a block barrier that some lanes never reach or reach at another line, and any state in
// which no lane can continue.
#pragma once

#include "tests/simt/simt.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace specmv::simt {

struct Shape {
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint32_t blockThreads = 32;
  uint32_t sharedBytes = 0; // dynamic
};

// Runs `lane` once for every thread and returns the first finding, empty if there is none. The seed
// chooses the order of lanes and blocks: 0 ascending, 1 descending, others random. Must not be
// nested.
std::string execute(const Shape &shape, const std::function<void()> &lane, unsigned seed);

// For the parts of the executor: keeps the first finding; abandon() leaves the block as well.
void report(std::string sentence);
[[noreturn]] void abandon(std::string sentence);
bool hasFinding();
std::string where(Site site);

// The running lane, and its block (counted in the order of the grid, not of execution).
uint32_t currentLane();
uint32_t currentBlock();
bool insideKernel();

} // namespace specmv::simt
