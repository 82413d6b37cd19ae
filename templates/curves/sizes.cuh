// Numbers that the kernels of a GPU's curves and the host that launches them must agree on, and the
// sequence of places that they visit, which tests follow on the host. Constants and constexpr
// functions only: the generator includes this file too.
#pragma once

namespace specmv {

// What a block reads at a time: each thread has kStreamTogether loads of 16 bytes in flight, so
// that a thousand threads of an SM cover the latency of memory twice over.
enum : int {
  kStreamBlock = 256,
  kStreamTogether = 4,
  kStreamChunkWords = kStreamBlock * kStreamTogether * 4,
};

// Gathers of a thread that are in flight together, as kPaddedBatch of our products.
enum : int {
  kGatherTogether = 8,
  kSectorBytes = 32,
};

// Values in shared memory, of which 2^10 may be of 8 bytes: several blocks still fit an SM.
enum : int { kSharedValuesBits = 10 };

// Slots of a chain are this many bytes apart: a line each.
enum : int { kChainStride = 128 };

// The next of a sequence that visits all 32-bit numbers, by its upper bits in no visible order
// (Numerical Recipes); taken modulo a power of two it visits all numbers below that.
constexpr unsigned nextPlace(unsigned at) { return at * 1664525U + 1013904223U; }

// Where group number `group` enters the sequence (the finalizer of MurmurHash3).
constexpr unsigned firstPlace(unsigned group) {
  group = (group ^ group >> 16) * 0x85ebca6bU;
  group = (group ^ group >> 13) * 0xc2b2ae35U;
  return group ^ group >> 16;
}

} // namespace specmv
