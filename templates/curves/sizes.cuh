// Constants on which the kernels of a GPU's curves and the host that launches them must agree, and
// the sequence of places that they visit, which tests follow on the host. Contains only constants
// and constexpr functions, because the generator includes this file too.
#pragma once

namespace specmv {

// The size of a block's reads: each thread has kStreamTogether loads of 16 bytes in flight, so that
// a thousand threads of an SM cover the latency of memory twice over.
enum : int {
  kStreamBlock = 256,
  kStreamTogether = 4,
  kStreamChunkWords = kStreamBlock * kStreamTogether * 4,
};

// The number of gathers per thread that are in flight together, like kPaddedBatch of our products.
enum : int {
  kGatherTogether = 8,
  kSectorBytes = 32,
};

// The number of values in shared memory is 2^10; even with 8 bytes each, several blocks fit an SM.
enum : int { kSharedValuesBits = 10 };

// Slots of a chain are this many bytes apart: one line each.
enum : int { kChainStride = 128 };

// The next number of a sequence that visits all 32-bit numbers and whose upper bits look random
// (Numerical Recipes). Taken modulo a power of two, it visits all numbers below that.
constexpr unsigned nextPlace(unsigned at) { return at * 1664525U + 1013904223U; }

// The number at which group `group` enters the sequence (the finalizer of MurmurHash3).
constexpr unsigned firstPlace(unsigned group) {
  group = (group ^ group >> 16) * 0x85ebca6bU;
  group = (group ^ group >> 13) * 0xc2b2ae35U;
  return group ^ group >> 16;
}

} // namespace specmv
