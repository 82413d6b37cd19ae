// Dependent loads: a chain through all slots of a working set, and one thread that follows it; and
// a kernel that does nothing.
#pragma once
#include "curves/sizes.cuh"
#include "setup/block.cuh"

namespace specmv {

enum : int { kChainWords = kChainStride / 4 }; // words per slot; only the first one is used

struct ChainArgs {
  unsigned *chain;
  int slots; // a power of two
};

// The first word of each slot names the next slot in the sequence of nextPlace().
__device__ __forceinline__ void makeChain(const ChainArgs &a) {
  const auto slots = static_cast<unsigned>(a.slots);
  for (unsigned slot = blockIdx.x * kSetupBlock + threadIdx.x; slot < slots;
       slot += gridDim.x * kSetupBlock)
    a.chain[static_cast<unsigned long long>(slot) * kChainWords] =
        (nextPlace(slot) & (slots - 1)) * kChainWords;
}

struct ChaseArgs {
  const unsigned *chain;
  unsigned *at; // the word where the walk begins, and afterwards the one where it ended
  int steps;
};

// Continues where the previous launch ended, so that a chain larger than L2 never stays in L2.
__device__ __forceinline__ void chase(const ChaseArgs &a) {
  if (blockIdx.x > 0 || threadIdx.x > 0)
    return;
  unsigned at = *a.at;
  for (int i = 0; i < a.steps; ++i)
    at = loadReused(a.chain + at);
  *a.at = at;
}

struct NothingArgs {
  int nothing; // a kernel needs at least one argument
};

__device__ __forceinline__ void doNothing(const NothingArgs & /*a*/) {}

} // namespace specmv
