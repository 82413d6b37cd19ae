// Rows that are cut by the borders between lanes and between blocks: their pieces are put together
// in an order that the matrix alone decides, inside the launch that made them. For the borders
// between blocks others take a second pass: the calibrator of CSR5 (Liu and Vinter 2015), the
// fix-up of merge-path (Merrill and Garland 2016).
#pragma once
#include "device.cuh"

namespace specmv {

// The sum of this lane and of the `distance` lanes before it, within `lanes` aligned lanes, all of
// which must call this together.
template <int lanes, class Value>
__device__ __forceinline__ Value segmentSum(Value v, int distance) {
#pragma unroll
  for (int step = 1; step < lanes; step *= 2) {
    const Value before = __shfl_up_sync(groupMask<lanes>(), v, step, lanes);
    if (distance >= step)
      v += before;
  }
  return v;
}

template <class Value> struct SlotOf;
template <> struct SlotOf<float> { using Bits = unsigned; };
template <> struct SlotOf<double> { using Bits = unsigned long long; };

// A piece as it lies in a slot: never 0, which is an empty slot. All ones is a NaN, and so is all
// ones but the last.
template <class Value> __device__ __forceinline__ typename SlotOf<Value>::Bits toSlot(Value v) {
  const auto bits = ~__builtin_bit_cast(typename SlotOf<Value>::Bits, v);
  return bits != 0 ? bits : 1;
}
template <class Value> __device__ __forceinline__ Value fromSlot(typename SlotOf<Value>::Bits v) {
  return __builtin_bit_cast(Value, ~v);
}

// Joins the pieces of one row that `count` consecutive blocks have, from block `first` on. One
// thread of each of them calls this with its piece, number `index`, in `sum`; it is true in one of
// these blocks, which then has the whole sum.
//
// Pieces meet two and two at the nodes of a fixed binary tree, each in a slot of its own: who comes
// first leaves its sum there and is done, who comes second takes it and goes on. So nobody waits,
// blocks may run in any order, and the order of additions is that of the tree. A sum travels in the
// very word that is exchanged, so that no fence is needed. The node between the pieces before
// number i and those from i on lies at slots[first + i].
template <class Value>
__device__ __forceinline__ bool joinPieces(Value *slots, int first, int index, int count,
                                           Value &sum) {
  for (int step = 1; step < count; step *= 2) {
    const bool isRight = (index & step) != 0;
    const int node = isRight ? index : index + step;
    index = isRight ? index - step : index;
    if (node >= count) // nothing on the right: up without a meeting
      continue;
    auto *slot = reinterpret_cast<typename SlotOf<Value>::Bits *>(slots + first + node);
    const auto met = atomicExch(slot, toSlot(sum));
    if (met == 0)
      return false;
    atomicExch(slot, decltype(met)(0)); // as the next launch expects it
    sum = isRight ? fromSlot<Value>(met) + sum : sum + fromSlot<Value>(met);
  }
  return true;
}

// How many blocks before this one have pieces of the row that is open when it begins, and how many
// after it of the row that is open when it ends (generator/borders.h). To be loaded early, so that
// memory is not waited for once more at the end.
struct BlockSpan {
  int before, after;
};
template <class Args> __device__ __forceinline__ BlockSpan blockSpan(const Args &a) {
  return {loadReused(a.blocksBefore + blockIdx.x), loadReused(a.blocksAfter + blockIdx.x)};
}

// Stores the row that is open at an end of this block, or leaves its piece to another block. One
// thread calls it for the head, the row that was open when the block began, if that row ends here;
// one for the tail, the row that is open when the block ends. `isOnlyRow` tells that no row ended
// in between: the tail is then also what was open at the beginning, and nobody calls for the head.
// Args has borderSum, scratch of a value per block, 0 between launches.
template <bool readsY, class Args, class Row, class Value>
__device__ __forceinline__ void storeEnd(const Args &a, BlockSpan span, bool isTail, bool isOnlyRow,
                                         Row row, Value sum) {
  const int before = isTail && !isOnlyRow ? 0 : span.before;
  const int after = isTail ? span.after : 0;
  const int first = int(blockIdx.x) - before;
  if (joinPieces(a.borderSum, first, before, before + 1 + after, sum))
    storeResult<readsY>(a.y + row, a.alpha, sum, a.beta);
}

} // namespace specmv
