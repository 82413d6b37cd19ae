// Counts the entries of each diagonal, as long as there are few diagonals: in a table of the block,
// then in one of the matrix.
#pragma once
#include "profile/counts.cuh"
#include "shared/device.cuh"

namespace specmv {

// Adds one diagonal of a block to those of the matrix.
__device__ __forceinline__ void addDiagonal(Word64 *counts, int offset, unsigned entries) {
  const Word64 key = static_cast<Word64>(offset) + (Word64(1) << 63);
  int slot = static_cast<int>(mixBits(key) % kDiagonalSlots);
  for (int probe = 0; probe < kDiagonalSlots; ++probe) {
    Word64 found = loadRelaxed(counts + kDiagonalKeys + slot);
    if (found == 0)
      found = atomicCAS(counts + kDiagonalKeys + slot, Word64(0), key);
    if (found == 0 && atomicAdd(counts + kDiagonals, Word64(1)) >= kCountedDiagonals)
      break;
    if (found == 0 || found == key) {
      atomicAdd(counts + kDiagonalCounts + slot, static_cast<Word64>(entries));
      return;
    }
    slot = (slot + 1) % kDiagonalSlots;
  }
  atomicOr(counts + kManyDiagonals, Word64(1));
}

// A table of diagonals in shared memory. Each diagonal has several counters, so that lanes with the
// same diagonal do not wait for each other.
struct DiagonalTable {
  enum : int { kCopies = 4, kCounts = kCopies * int{kDiagonalSlots} };
  int *offsets;     // kDiagonalSlots; kFree if there is none
  unsigned *counts; // kCounts: kCopies x kDiagonalSlots
  int *used;
  enum : int { kFree = -2147483647 - 1 }; // no matrix has this offset

  // Returns the offset that the slot has from now on; it is this one if the slot was free. The slot
  // is read only once, since another lane may meanwhile put this very offset into a free slot.
  __device__ __forceinline__ int taken(unsigned slot, int offset) const {
    int found = loadRelaxed(offsets + slot);
    if (found == kFree)
      found = atomicCAS(offsets + slot, int{kFree}, offset);
    if (found != kFree)
      return found;
    atomicAdd(used, 1);
    return offset;
  }

  // Returns false if there are more diagonals than are counted. The probing distance depends on the
  // offset: the offsets of a mesh are consecutive, and with a fixed distance so would be their
  // chains of slots.
  __device__ __forceinline__ bool add(int offset) const {
    const unsigned hash = static_cast<unsigned>(offset) * 2654435769U;
    unsigned slot = hash >> 23;
    while (taken(slot, offset) != offset) {
      if (loadRelaxed(used) > kCountedDiagonals)
        return false;
      slot = (slot + (hash >> 13 | 1)) % kDiagonalSlots;
    }
    atomicAdd(counts + threadIdx.x % kCopies * kDiagonalSlots + slot, 1U);
    return true;
  }

  // Adds the diagonals of the block to those of the matrix. Called by all threads.
  __device__ __forceinline__ void addTo(Word64 *matrix, bool many) const {
    if (many && threadIdx.x == 0)
      atomicOr(matrix + kManyDiagonals, Word64(1));
    for (int slot = static_cast<int>(threadIdx.x); slot < kDiagonalSlots && !many;
         slot += kEntriesBlock)
      if (offsets[slot] != kFree && loadRelaxed(matrix + kManyDiagonals) == 0) {
        unsigned entries = 0;
        for (int copy = 0; copy < kCopies; ++copy)
          entries += counts[copy * kDiagonalSlots + slot];
        addDiagonal(matrix, offsets[slot], entries);
      }
  }
};
static_assert(kDiagonalSlots == 1 << (32 - 23), "the hash has as many bits");

} // namespace specmv
