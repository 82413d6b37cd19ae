// Measures a GPU's curves: how fast it reads, gathers, follows addresses and launches by itself.
#pragma once

#include "models/curves.h"
#include "runtime/machine.h"

namespace specmv {

// A few seconds. Status::missing if the GPU lacks the memory or its kernels cannot be had. Where
// the numbers come from is left to the caller to say.
llvm::Expected<Curves> measureCurves(Machine &machine);

// The working sets: 1 MB to 4 GB by factors of 2, as far as half of the free memory goes.
std::vector<int64_t> streamSets(int64_t freeBytes);

// Working sets of 2^k bytes for random access: one of which L2 keeps all, and one, if there is the
// memory, of which it keeps little.
struct RandomSets {
  int64_t withinL2 = 0, beyondL2 = 0; // 0: none
};
RandomSets randomSets(int64_t l2Bytes, int64_t mostBytes);

// Of some times at least one.
Spread spreadOf(std::vector<double> times);

} // namespace specmv
