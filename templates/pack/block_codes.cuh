// Numbers the different blocks among the packed values of BCSR by their first places, and stores
// the number of each block and the table of the different ones (templates/coding/blocks.cuh).
// Blocks are equal if their bits are.
#pragma once
#include "pack/block_hash.cuh"
#include "pack/slots.cuh"
#include "setup/block.cuh"

namespace specmv {

// All kernels of this file have these: the bits of the packed values, and a hash table. A slot of
// the table has the complement of the first block seen with its values, so that 0 means a free
// slot.
template <class Word> struct PackedBlocks {
  const Word *plain; // by slot
  unsigned *slots;   // all 0 before the first call
  long long blocks;
  int places, most;

  __device__ __forceinline__ Word at(long long block, int place) const {
    return plain[bcsrSlot(block, place, places)];
  }
  __device__ __forceinline__ bool areEqual(long long block, long long other) const {
    bool isEqual = true;
#pragma unroll 1
    for (int place = 0; place < places && isEqual; ++place)
      isEqual = at(block, place) == at(other, place);
    return isEqual;
  }
};

template <class Word> struct FindBlocksArgs {
  PackedBlocks<Word> packed;
  unsigned *slotOf; // receives the slot of each block
  unsigned *taken;  // receives the first `most` slots that are taken, in any order
  unsigned *found;  // one number, 0 before the call: receives how many are taken
};

// Returns the slot of a block; -1 if there are too many different ones. A slot keeps its values, of
// which it may have an earlier block at any time.
template <class Word>
__device__ __forceinline__ int slotOfBlock(const FindBlocksArgs<Word> &a, long long block) {
  const PackedBlocks<Word> &packed = a.packed;
  const int count = blockHashSlots(packed.most);
  const unsigned own = ~static_cast<unsigned>(block);
  auto slot = static_cast<int>(
      blockHash(packed.places, [&](int place) { return packed.at(block, place); }) %
      static_cast<unsigned>(count));
#pragma unroll 1
  for (int probe = 0; probe < count; ++probe) {
    unsigned there = loadRelaxed(packed.slots + slot);
    if (there == 0) {
      if (loadRelaxed(a.found) > static_cast<unsigned>(packed.most))
        return -1;
      there = atomicCAS(packed.slots + slot, 0U, own);
      if (there == 0) {
        const unsigned before = atomicAdd(a.found, 1U);
        if (before < static_cast<unsigned>(packed.most))
          a.taken[before] = static_cast<unsigned>(slot);
        return slot;
      }
    }
    const unsigned first = ~there;
    if (packed.areEqual(block, first)) {
      if (there < own)
        atomicMax(packed.slots + slot, own);
      return slot;
    }
    slot = slot + 1 == count ? 0 : slot + 1;
  }
  return -1;
}

// Blocks of threads advance together, so that most values are met in their first block first.
template <class Word> __device__ __forceinline__ void findBlocks(const FindBlocksArgs<Word> &a) {
  const long long threads = static_cast<long long>(gridDim.x) * kSetupBlock;
  int slot = 0;
#pragma unroll 1
  for (long long block = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
       block < a.packed.blocks && slot >= 0; block += threads) {
    slot = slotOfBlock(a, block);
    a.slotOf[block] = static_cast<unsigned>(slot);
  }
}

template <class Word> struct NumberBlocksArgs {
  PackedBlocks<Word> packed;
  const unsigned *taken; // `different` slots
  unsigned *numberOf;    // receives, for each slot that is taken, the number of its block
  Word *table;           // receives the blocks by their numbers, each of `stride` values
  int different, stride;
};

// A thread takes a block of the table. Its number is how many of the others have an earlier first
// place.
template <class Word>
__device__ __forceinline__ void numberBlocks(const NumberBlocksArgs<Word> &a) {
  SPECMV_SHARED_ARRAY(unsigned, firsts, kSetupBlock);
  const auto thread = static_cast<int>(threadIdx.x);
  const int own = static_cast<int>(blockIdx.x) * kSetupBlock + thread;
  const bool has = own < a.different;
  const unsigned slot = has ? a.taken[own] : 0U;
  const unsigned first = ~a.packed.slots[slot];
  int number = 0;
#pragma unroll 1
  for (int begin = 0; begin < a.different; begin += kSetupBlock) {
    const int count = min(a.different - begin, int{kSetupBlock});
    if (thread < count)
      firsts[thread] = ~a.packed.slots[a.taken[begin + thread]];
    __syncthreads();
    for (int i = 0; i < count; ++i)
      number += firsts[i] < first;
    __syncthreads();
  }
  if (!has)
    return;
  a.numberOf[slot] = static_cast<unsigned>(number);
  Word *to = a.table + static_cast<long long>(number) * a.stride;
  for (int place = 0; place < a.stride; ++place)
    to[place] = place < a.packed.places ? a.packed.at(first, place) : Word(0);
}

template <class Code> struct EncodeBlocksArgs {
  const unsigned *slotOf;
  const unsigned *numberOf;
  Code *coded;
  long long blocks;
};

template <class Code>
__device__ __forceinline__ void encodeBlocks(const EncodeBlocksArgs<Code> &a) {
  const long long threads = static_cast<long long>(gridDim.x) * kSetupBlock;
  for (long long block = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
       block < a.blocks; block += threads)
    a.coded[block] = static_cast<Code>(a.numberOf[a.slotOf[block]]);
}

} // namespace specmv
