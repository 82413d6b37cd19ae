// Compares the values along diagonals, as long as there are few diagonals: in a table of the block,
// then in one of the matrix. A thread takes a row, which has few entries.
#pragma once
#include "profile/features.cuh"
#include "profile/value_counts.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index, class Word> struct CompareDiagonalsArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  const Word *csrVal;
  unsigned *found; // kDiagonalWords, all 0 before the call
  Word64 *table;   // kDiagonalTable, all 0 before the call
  long long rows;
};

// Diagonals with the least and the largest bits of their values, in shared or in global memory.
struct DiagonalValues {
  Word64 *words;   // kDiagonalTable
  unsigned *found; // kDiagonalWords

  // Returns the slot of a diagonal by its key; -1 if there are too many diagonals.
  __device__ __forceinline__ int slotOf(Word64 key) const {
    int slot = static_cast<int>(mixBits(key) % kComparedSlots);
#pragma unroll 1
    for (int probe = 0; probe < kComparedSlots; ++probe) {
      Word64 there = loadRelaxed(words + slot);
      if (there == 0) {
        // The number is exceeded only by one diagonal too many. When it is reached, the slot that
        // was free may have this diagonal by now.
        if (loadRelaxed(found + kComparedDiagonals) > unsigned{kMostComparedDiagonals})
          return -1;
        there = atomicCAS(words + slot, Word64(0), key);
        if (there == 0 && atomicAdd(found + kComparedDiagonals, 1U) >= kMostComparedDiagonals)
          return -1;
      }
      if (there == 0 || there == key)
        return slot;
      slot = (slot + 1) % kComparedSlots;
    }
    return -1;
  }

  __device__ __forceinline__ static void raise(Word64 *to, Word64 bits) {
    if (loadRelaxed(to) < bits)
      atomicMax(to, bits);
  }

  // Returns false if it is seen that values differ, or there are too many diagonals. `inverted` is
  // what is kept of the least bits: their complement, so that 0 stands for none.
  __device__ __forceinline__ bool add(Word64 key, Word64 largest, Word64 inverted) const {
    const int slot = slotOf(key);
    if (slot < 0)
      return false;
    raise(words + kComparedSlots + slot, largest);
    raise(words + 2 * kComparedSlots + slot, inverted);
    return loadRelaxed(words + kComparedSlots + slot) <=
           ~loadRelaxed(words + 2 * kComparedSlots + slot);
  }
};

// Adds the entries of a row to the table of the block.
template <class Index, class Word>
__device__ __forceinline__ bool addRow(const CompareDiagonalsArgs<Index, Word> &a, long long row,
                                       const DiagonalValues &table) {
  const long long begin = a.csrRowPtr[row], end = a.csrRowPtr[row + 1];
  bool isConstant = end - begin <= kMostInComparedRow;
#pragma unroll 1
  for (long long e = begin; e < end && isConstant; ++e) {
    const Word64 key = static_cast<Word64>(a.csrCol[e] - row) + (Word64(1) << 63);
    isConstant = table.add(key, a.csrVal[e], ~Word64(a.csrVal[e]));
  }
  return isConstant;
}

template <class Index, class Word>
__device__ __forceinline__ void compareDiagonals(const CompareDiagonalsArgs<Index, Word> &a) {
  SPECMV_SHARED_ARRAY(Word64, words, kDiagonalTable);
  SPECMV_SHARED_ARRAY(unsigned, found, kDiagonalWords);
  const int thread = static_cast<int>(threadIdx.x);
  for (int word = thread; word < kDiagonalTable; word += kSetupBlock)
    words[word] = 0;
  if (thread < kDiagonalWords) // another block may know the answer
    found[thread] = thread == kDiffer ? loadRelaxed(a.found + kDiffer) : 0;
  __syncthreads();
  const DiagonalValues own{words, found}, all{a.table, a.found};
  const long long threads = static_cast<long long>(gridDim.x) * kSetupBlock;
  for (long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + thread;
       row < a.rows && loadRelaxed(found + kDiffer) == 0; row += threads)
    if (!addRow(a, row, own))
      atomicOr(found + kDiffer, 1U);
  __syncthreads();
  bool differ = found[kDiffer] != 0;
  for (int slot = thread; slot < kComparedSlots && !differ; slot += kSetupBlock)
    if (words[slot] != 0)
      differ =
          !all.add(words[slot], words[kComparedSlots + slot], words[2 * kComparedSlots + slot]);
  if (differ)
    atomicOr(a.found + kDiffer, 1U);
}

} // namespace specmv
