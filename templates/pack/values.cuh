// Gives a packed matrix new values, which go to the slots of its entries (pack/entries.cuh).
#pragma once
#include "setup/block.cuh"

namespace specmv {

struct SortSlotsArgs {
  unsigned *slots; // by entry; afterwards ascending within each chunk of entries
  Int16 *places;   // receives for each slot the number of its entry within the chunk
  long long count; // number of entries
};

// Sorts the slots of a chunk with the places of their entries, by a bitonic network in shared
// memory. A chunk then writes its values in the order of slots. Neighbours in the matrix are often
// far apart in a packed array, so writing them in the matrix's order would cost one sector each.
__device__ __forceinline__ void sortSlots(const SortSlotsArgs &a) {
  SPECMV_SHARED_ARRAY(unsigned long long, keys, kValuesPerChunk);
  const long long first = static_cast<long long>(blockIdx.x) * kValuesPerChunk;
  for (int i = threadIdx.x; i < kValuesPerChunk; i += kSetupBlock)
    keys[i] = first + i < a.count
                  ? static_cast<unsigned long long>(a.slots[first + i]) << kPlaceBits | unsigned(i)
                  : ~0ULL;
  __syncthreads();
  for (int run = 2; run <= kValuesPerChunk; run *= 2)
    for (int apart = run / 2; apart > 0; apart /= 2) {
      for (int pair = threadIdx.x; pair < kValuesPerChunk / 2; pair += kSetupBlock) {
        const int low = 2 * pair - pair % apart, high = low + apart;
        const bool ascends = (low & run) == 0;
        const unsigned long long atLow = keys[low], atHigh = keys[high];
        if ((atLow > atHigh) == ascends) {
          keys[low] = atHigh;
          keys[high] = atLow;
        }
      }
      __syncthreads();
    }
  for (int i = threadIdx.x; i < kValuesPerChunk && first + i < a.count; i += kSetupBlock) {
    a.slots[first + i] = static_cast<unsigned>(keys[i] >> kPlaceBits);
    a.places[first + i] = static_cast<Int16>(keys[i] & (kValuesPerChunk - 1));
  }
}

template <class Value> struct StoreValuesArgs {
  const unsigned *slots; // in the order of sortSlots()
  const Int16 *places;
  const Value *csrVal;
  Value *val;
  long long count; // number of entries
};

template <class Value>
__device__ __forceinline__ void storeValues(const StoreValuesArgs<Value> &a) {
  constexpr int perThread = kValuesPerChunk / int{kSetupBlock};
  SPECMV_SHARED_ARRAY(Value, chunk, kValuesPerChunk);
  const long long first = static_cast<long long>(blockIdx.x) * kValuesPerChunk + threadIdx.x;
  const int *const slots = reinterpret_cast<const int *>(a.slots);
  int slot[perThread];
  Int16 place[perThread];
#pragma unroll
  for (int i = 0; i < perThread; ++i) {
    const long long e = first + i * kSetupBlock;
    chunk[threadIdx.x + i * kSetupBlock] = loadOnceIf(e < a.count, a.csrVal + e, Value(0));
    slot[i] = loadOnceIf(e < a.count, slots + e, 0);
    place[i] = loadOnceIf(e < a.count, a.places + e, Int16(0));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < perThread; ++i)
    if (first + i * kSetupBlock < a.count)
      a.val[static_cast<unsigned>(slot[i])] = chunk[place[i]];
}

} // namespace specmv
