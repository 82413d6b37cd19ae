// The rows that lie in several parts of a block, such as its warps, and maybe in other blocks too.
#pragma once
#include "shared/open_rows.cuh"
#include "shared/runs.cuh"

namespace specmv {

// Adds up the open sums of the parts of a block. Part l has the ends of rows row .. rowEnd - 1 of
// lane l, which are empty behind the last part. Heads are the sums of the first row that ends in
// each part, and tails are the sums of the row that continues after the part. Only one warp calls
// this; its lane l has the numbers of part l.
template <bool readsY, int parts, class Args, class Y, class Offset, class Value>
__device__ __forceinline__ void mergeParts(const Args &a, const Y &y, Offset row, Offset rowEnd,
                                           const OpenRows<Value> &rows, OpenRow open,
                                           const Value *heads, const Value *tails) {
  const int lane = threadIdx.x % 32;
  const Value upTo = runScan(rowEnd, lane < parts ? tails[lane] : Value(0));
  const Value below = __shfl_up_sync(kFullMask, upTo, 1);
  Value sum = lane < parts ? heads[lane] : Value(0);
  if (lane > 0)
    sum += below;

  const unsigned ends = __ballot_sync(kFullMask, row < rowEnd);
  const int first = ends == 0 ? 0 : __ffs(int(ends)) - 1;
  const bool isOpen = __shfl_sync(kFullMask, int(open.isOpen()), 0) && lane == first;
  if (row < rowEnd && row < a.rows && !isOpen)
    storeResult<readsY>(y + row, a.alpha, sum, a.beta);

  // Lane 0 takes the row that was open when the block began, lane 1 the one that is open at its
  // end.
  const Value head = __shfl_sync(kFullMask, sum, first);
  const Value tail = __shfl_sync(kFullMask, upTo, parts - 1);
  const Offset lastRow = __shfl_sync(kFullMask, rowEnd, parts - 1);
  Value partialSum = lane == 0 ? head : tail;
  if (publishPartialSum(rows, open, partialSum))
    storeResult<readsY>(openRowOf(y, lane == 0 ? row : lastRow, open), a.alpha, partialSum, a.beta);
}

} // namespace specmv
