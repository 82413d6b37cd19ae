// Stores packed values in another form: in a shorter type, or as numbers in a table.
#pragma once
#include "pack/code_of.cuh"
#include "profile/value_features.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Value, class Code> struct EncodeArgs {
  const Value *plain; // by slot
  Code *coded;
  const Value *table; // the different values, ordered by their bits; only for codes of a byte
  int listed;
  long long slots;
};

// A thread takes slots that are a grid apart, so that a warp reads and writes whole sectors.
template <class Value, class Code, class Encode>
__device__ __forceinline__ void encodeAll(const EncodeArgs<Value, Code> &a, const Encode &encode) {
  const long long threads = static_cast<long long>(gridDim.x) * kSetupBlock;
  for (long long slot = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
       slot < a.slots; slot += threads)
    a.coded[slot] = encode(loadOnce(a.plain + slot));
}

template <class Value, class Code>
__device__ __forceinline__ void encode(const EncodeArgs<Value, Code> &a) {
  if constexpr (sizeof(Code) > 1) {
    encodeAll(a, [](Value value) { return static_cast<Code>(value); });
  } else {
    using Word = WordOf<Value>;
    SPECMV_SHARED_ARRAY(Word, table, kMostDistinct);
    for (int i = static_cast<int>(threadIdx.x); i < a.listed; i += kSetupBlock)
      table[i] = __builtin_bit_cast(Word, a.table[i]);
    __syncthreads();
    encodeAll(a, [&](Value value) {
      return static_cast<Code>(codeOf(__builtin_bit_cast(Word, value), &table[0], a.listed));
    });
  }
}

} // namespace specmv
