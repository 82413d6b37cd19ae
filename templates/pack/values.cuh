// Gives a packed matrix new values: finds the slot of each entry, then stores values there.
#pragma once
#include "setup/block.cuh"

namespace specmv {

// Calls f(i) for the elements of the block's share, of `count` in all.
template <class F> __device__ __forceinline__ void forShare(long long count, F f) {
  const long long first = static_cast<long long>(blockIdx.x) * kCopyPerBlock + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kCopyPerThread; ++i)
    if (first + i * kSetupBlock < count)
      f(first + i * kSetupBlock);
}

template <class Word> struct NumberEntriesArgs {
  Word *csrVal; // gets the number of each entry, from 1, in the bits of a value
  long long count;
};

template <class Word>
__device__ __forceinline__ void numberEntries(const NumberEntriesArgs<Word> &a) {
  forShare(a.count, [&](long long e) { a.csrVal[e] = static_cast<Word>(e + 1); });
}

template <class Word> struct FindSlotsArgs {
  const Word *val; // packed numbers of entries; 0 is padding
  unsigned *slots;
  long long count; // of val
};

template <class Word> __device__ __forceinline__ void findSlots(const FindSlotsArgs<Word> &a) {
  forShare(a.count, [&](long long slot) {
    if (const Word number = a.val[slot])
      a.slots[number - 1] = static_cast<unsigned>(slot);
  });
}

template <class Value> struct StoreValuesArgs {
  const unsigned *slots;
  const Value *csrVal;
  Value *val;
  long long count; // of entries
};

template <class Value>
__device__ __forceinline__ void storeValues(const StoreValuesArgs<Value> &a) {
  const long long first = static_cast<long long>(blockIdx.x) * kCopyPerBlock + threadIdx.x;
  const int *const slots = reinterpret_cast<const int *>(a.slots);
  int slot[kCopyPerThread];
  Value val[kCopyPerThread];
#pragma unroll
  for (int i = 0; i < kCopyPerThread; ++i) {
    const long long e = first + i * kSetupBlock;
    slot[i] = loadOnceIf(e < a.count, slots + e, 0);
    val[i] = loadOnceIf(e < a.count, a.csrVal + e, Value(0));
  }
#pragma unroll
  for (int i = 0; i < kCopyPerThread; ++i)
    if (first + i * kSetupBlock < a.count)
      a.val[static_cast<unsigned>(slot[i])] = val[i];
}

} // namespace specmv
