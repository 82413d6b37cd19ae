// Finds the facts about values in one walk over them: the flags, and the different values as long
// as there are few, in a table of the block and then in one of the matrix.
#pragma once
#include "profile/pieces.cuh"
#include "profile/value_counts.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Word> struct ValueFactsArgs {
  const Word *csrVal;
  unsigned *found; // kValueWords, all 0 before the call
  Word *table;     // kValueSlots, all 0 before the call
  long long nnz;
};

// The different values except the first one of the matrix, each as its bits xor those of the first:
// no value then looks like a free slot, which is 0.
template <class Word> struct DistinctTable {
  Word *keys;     // kValueSlots
  unsigned *used; // kMostDistinct or more: too many

  __device__ __forceinline__ static unsigned slotOf(Word key) {
    if constexpr (sizeof(Word) == 4)
      return key * 2654435769U >> (32 - kValueSlotBits);
    else
      return static_cast<unsigned>(key * 0x9e3779b97f4a7c15ULL >> (64 - kValueSlotBits));
  }

  // Returns true if the key was not there; sets `many` if it found no place.
  __device__ __forceinline__ bool add(Word key, bool &many) const {
    unsigned slot = slotOf(key);
#pragma unroll 1
    for (int probe = 0; probe < kValueSlots; ++probe) {
      Word found = loadRelaxed(keys + slot);
      if (found == 0) {
        if (loadRelaxed(used) >= unsigned{kMostDistinct})
          break;
        found = atomicCAS(keys + slot, Word(0), key);
        if (found == 0) {
          atomicAdd(used, 1U);
          return true;
        }
      }
      if (found == key)
        return false;
      slot = (slot + 1) % kValueSlots;
    }
    many = true;
    return true;
  }
};

// Returns the flags of this thread's values that were new to the block. Runs of equal values, as in
// a matrix whose values are all equal, do not touch the table.
template <class Word>
__device__ __forceinline__ unsigned addValues(const ValueFactsArgs<Word> &a,
                                              const DistinctTable<Word> &table) {
  const Word first = a.csrVal[0];
  const bool aligned = isAligned(a.csrVal);
  const long long threads = static_cast<long long>(gridDim.x) * kSetupBlock;
  unsigned flags = valueFlags(first);
  bool many = loadRelaxed(table.used) >= unsigned{kMostDistinct};
  Word before = 0;
  for (long long piece = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
       piece * kHashed < a.nnz; piece += threads) {
    Word v[kHashed];
    loadPiece(a.csrVal, piece * kHashed, a.nnz, aligned, v, first);
#pragma unroll 1
    for (int i = 0; i < kHashed; ++i, dropFirst(v)) {
      const Word key = v[0] ^ first;
      if (key == before)
        continue;
      before = key;
      if (key != 0 && (many || table.add(key, many)))
        flags = withFlagsOf(v[0], flags);
    }
  }
  return flags;
}

template <class Word> __device__ __forceinline__ void valueFacts(const ValueFactsArgs<Word> &a) {
  SPECMV_SHARED_ARRAY(Word, keys, kValueSlots);
  SPECMV_SHARED_ARRAY(unsigned, found, kValueWords);
  const int thread = static_cast<int>(threadIdx.x);
  for (int slot = thread; slot < kValueSlots; slot += kSetupBlock)
    keys[slot] = 0;
  if (thread == 0) { // another block may have found too many
    found[kValueFlags] = 0;
    const bool areMany = loadRelaxed(a.found + kOtherValues) >= unsigned{kMostDistinct};
    found[kOtherValues] = areMany ? unsigned{kMostDistinct} : 0U;
  }
  __syncthreads();
  const unsigned flags = warpOr(addValues(a, DistinctTable<Word>{keys, found + int{kOtherValues}}));
  if (thread % 32 == 0)
    atomicOr(found + kValueFlags, flags);
  __syncthreads();
  bool many = found[kOtherValues] >= unsigned{kMostDistinct};
  if (thread == 0) {
    atomicOr(a.found + kValueFlags, found[kValueFlags]);
    if (many)
      atomicMax(a.found + kOtherValues, unsigned{kMostDistinct});
  }
  const DistinctTable<Word> all{a.table, a.found + int{kOtherValues}};
  for (int slot = thread; slot < kValueSlots && !many; slot += kSetupBlock)
    if (keys[slot] != 0)
      all.add(keys[slot], many);
}

} // namespace specmv
