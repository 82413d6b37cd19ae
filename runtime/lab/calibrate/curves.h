// Measures a GPU's curves, while no other process uses the GPU.
#pragma once

#include "models/curves.h"
#include "runtime/cuda/device.h"
#include "runtime/machine.h"

#include <vector>

namespace specmv {

// --- Busy ----------------------------------------------------------------------------------------

// Detects other processes that use the GPU, so that times measured now would be wrong.

// Fails with Status::missing and the figures if the GPU takes much longer for some of many equal
// pieces of work than for most. Processes that share a GPU take turns of milliseconds.
llvm::Error refuseBusy(const GpuDevice &gpu);

// Returns the share of times that are more than three times the median.
double shareOfDelayed(std::vector<double> timesUs);

// A GPU with a larger share counts as busy; an idle one has about one in a thousand.
constexpr double kMostDelayed = 0.03;

// --- Curves --------------------------------------------------------------------------------------

// Measures a GPU's curves: how fast it reads, gathers, follows addresses and launches.

// Takes a few seconds. Status::missing if the GPU lacks the memory or its kernels are not
// available. The caller must fill in the source of the numbers.
llvm::Expected<Curves> measureCurves(Machine &machine);

// Returns the working sets: 1 MB to 4 GB by factors of 2, up to half of the free memory.
std::vector<int64_t> streamSets(int64_t freeBytes);

// Working sets of 2^k bytes for random access: one that fits in L2, and, if there is enough memory,
// one of which L2 holds only a small part.
struct RandomSets {
  int64_t withinL2 = 0, beyondL2 = 0; // 0: none
};
RandomSets randomSets(int64_t l2Bytes, int64_t mostBytes);

// Needs at least one time.
Spread spreadOf(std::vector<double> times);

} // namespace specmv
