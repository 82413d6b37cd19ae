// Stores packed values as numbers of 4 bits in a table. A thread makes a whole byte of two slots,
// so that no two threads write to one byte.
#pragma once
#include "pack/encode.cuh"
#include "pack/pair_of_codes.cuh"

namespace specmv {

template <class Value, class Code>
__device__ __forceinline__ void encodePairs(const EncodeArgs<Value, Code> &a) {
  using Word = WordOf<Value>;
  SPECMV_SHARED_ARRAY(Word, table, kMostInHalfByte);
  if (static_cast<int>(threadIdx.x) < a.listed)
    table[threadIdx.x] = __builtin_bit_cast(Word, a.table[threadIdx.x]);
  __syncthreads();
  const auto code = [&](long long slot) {
    return slot < a.slots
               ? codeOf(__builtin_bit_cast(Word, loadOnce(a.plain + slot)), &table[0], a.listed)
               : 0;
  };
  const long long threads = static_cast<long long>(gridDim.x) * kSetupBlock;
  for (long long at = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
       2 * at < a.slots; at += threads)
    a.coded[at] = static_cast<Code>(pairOfCodes(code(2 * at), code(2 * at + 1)));
}

} // namespace specmv
