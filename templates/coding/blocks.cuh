// The view of values in blocks that repeat: each block of BCSR has the number of its values in a
// table of the different blocks, and is multiplied as if it had the values themselves.
//
// The table is read from global memory through L1. Lanes of a warp read different blocks, so that
// constants would be serialized. Shared memory would have to be filled by each block of threads,
// with kilobytes of which it uses each perhaps once, and would take the room of L1 in which x
// stays.
#pragma once
#include "pack/block_sizes.cuh"
#include "shared/block_codes.cuh"

namespace specmv {

// In the table, a block has its values by columns, and zeros up to `stride` values: whole 16 bytes,
// so that a lane reads a block by few loads, each of which touches one sector.
template <class Value, class Code, int stride> struct BlockValues {
  Streamed<Code> codes; // of each block
  const Value *table;
};

template <class Value, class Code, int stride>
struct BlocksHaveCodes<BlockValues<Value, Code, stride>> {
  enum : bool { kDo = true };
};

// Declared for its type alone: decltype(loadOnce(a.val)).
template <class Value, class Code, int stride>
__device__ Value loadOnce(const BlockValues<Value, Code, stride> &view);

template <class Value, class Code, int stride, class Load>
__device__ __forceinline__ unsigned codeOfBlock(const BlockValues<Value, Code, stride> &view,
                                                Int64 block, const Load &load) {
  return load(view.codes + block);
}

// Values of a block in registers.
template <class Value, int count> struct BlockPiece { Value at[count]; };

template <int count, class Value, class Code, int stride>
__device__ __forceinline__ BlockPiece<Value, count>
pieceOf(const BlockValues<Value, Code, stride> &view, unsigned code, Int64 /*piece*/,
        unsigned /*lane*/, int first) {
  enum : int { kTogether = kBlockAlignment / sizeof(Value) };
  const Value *from = view.table + (code * stride + static_cast<unsigned>(first));
  BlockPiece<Value, count> out;
  if constexpr (count % kTogether == 0 || count > stride - kTogether) { // each piece is aligned
#pragma unroll
    for (int i = 0; i < count; i += kTogether) {
      const auto some = loadReused(reinterpret_cast<const Several<Value, kTogether> *>(from + i));
#pragma unroll
      for (int n = 0; n < kTogether && i + n < count; ++n)
        out.at[i + n] = some.at[n];
    }
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i)
      out.at[i] = loadReused(from + i);
  }
  return out;
}
template <class Value, int count>
__device__ __forceinline__ Value valueOf(const BlockPiece<Value, count> &piece, int i) {
  return piece.at[i];
}

} // namespace specmv
