// BCSR reads values through a view, block by block. A view with a value for each slot is read
// by the functions of this file. A view of whole blocks (coding/blocks.cuh) has overloads of them,
// which need the code of a block: it is loaded with the block's column, before the values.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

template <class Values> struct BlocksHaveCodes {
  enum : bool { kDo = false };
};

// Nothing is loaded with the column of a block here, while other views load its code by `load`.
struct NoCode {};
template <class Values, class Load>
__device__ __forceinline__ NoCode codeOfBlock(const Values & /*val*/, Int64 /*block*/,
                                              const Load & /*load*/) {
  return {};
}

// The values of a piece of a block, `count` values of whole columns: the `piece`-th piece of its
// lane in the arrays. In a view of whole blocks, `first` is the first value of the piece in its
// block.
template <int count, class Values>
__device__ __forceinline__ Values pieceOf(const Values &val, NoCode /*code*/, Int64 piece,
                                          unsigned lane, int /*first*/) {
  return val + piece * (count * 32) + lane;
}
template <class Values> __device__ __forceinline__ auto valueOf(const Values &piece, int i) {
  return loadOnce(piece + i * 32);
}

} // namespace specmv
