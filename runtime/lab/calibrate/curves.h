// Measures a GPU's curves: how fast it reads, gathers, follows addresses and launches.
#pragma once

#include "models/curves.h"
#include "runtime/machine.h"

namespace specmv {

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
