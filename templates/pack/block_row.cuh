// The blocks of a block row of BCSR, in ascending order: a warp merges the rows, whose columns
// ascend, some entries of each row at a time.
#pragma once
#include "setup/block.cuh"

namespace specmv {

// The lanes that look at entries of one row, if a warp looks at r rows.
constexpr int bcsrRowLanes(int r) { return r <= 1 ? 32 : r <= 2 ? 16 : r <= 4 ? 8 : 4; }

// Larger than every column.
template <class Index>
constexpr Index kNoColumn = static_cast<Index>(~0ULL >> (65 - 8 * int(sizeof(Index))));

// How far a merge has come. `next` and `end` are those of the lane's row; all lanes have the same
// `last`, the column of the last block so far, and number of blocks.
template <class Index> struct BlockRow {
  Index next = 0, end = 0, last = -1;
  int blocks = 0;
};

// What a lane has in a round: an entry, its block's column and number in the block row.
template <class Index> struct BlockEntry {
  bool has, takes, leads; // whether it is an entry, has been taken, and is the first of its block
  Index entry, col, column;
  int rank;
};

// The rows of a block row before the merge.
template <class Index>
__device__ __forceinline__ BlockRow<Index> bcsrBegin(const Index *rowPtr, long long rows,
                                                     long long blockRow, int r) {
  const int own = static_cast<int>(threadIdx.x) % 32 / bcsrRowLanes(r);
  const long long row = blockRow * r + own;
  BlockRow<Index> out;
  if (own < r && row < rows)
    out.next = rowPtr[row], out.end = rowPtr[row + 1];
  return out;
}

template <class Index> __device__ __forceinline__ Index bcsrColumn(Index col, int c) {
  if constexpr (sizeof(Index) == 4)
    return static_cast<Index>(static_cast<unsigned>(col) / static_cast<unsigned>(c));
  else
    return col / c;
}

// Takes entries of the first `limit` blocks. Behind what the lanes of a row see, it may have more
// entries of their last block; so blocks behind the least of these last ones must wait, and that
// one may get more entries in the next round.
template <class Index>
__device__ __forceinline__ BlockEntry<Index> bcsrRound(const Index *csrCol, int r, int c, int limit,
                                                       BlockRow<Index> &row) {
  const int lane = static_cast<int>(threadIdx.x) % 32, perRow = bcsrRowLanes(r);
  BlockEntry<Index> out = {};
  out.entry = row.next + lane % perRow;
  out.has = out.entry < row.end;
  out.col = out.has ? csrCol[out.entry] : Index(0);
  out.column = out.has ? bcsrColumn(out.col, c) : kNoColumn<Index>;
  const bool hasMore = lane % perRow == perRow - 1 && out.entry + 1 < row.end;
  Index bound = hasMore ? out.column : kNoColumn<Index>;
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    bound = min(bound, __shfl_xor_sync(kFullMask, bound, step));
  const bool mayTake = out.has && out.column <= bound;
  int smaller = 0, found = 0;
  for (unsigned left = __ballot_sync(kFullMask, mayTake); left;) {
    const int lead = __ffs(static_cast<int>(left)) - 1;
    const Index column = __shfl_sync(kFullMask, out.column, lead);
    const bool isNew = column != row.last;
    smaller += isNew && column < out.column;
    found += isNew;
    out.leads = out.leads || (isNew && lane == lead);
    left &= ~__ballot_sync(kFullMask, out.column == column);
  }
  out.rank = row.blocks - (out.column == row.last) + smaller;
  out.takes = mayTake && out.rank < limit;
  out.leads = out.leads && out.takes;
  row.blocks = min(row.blocks + found, limit);
  const unsigned ofLast = __ballot_sync(kFullMask, out.takes && out.rank == row.blocks - 1);
  if (ofLast)
    row.last = __shfl_sync(kFullMask, out.column, __ffs(static_cast<int>(ofLast)) - 1);
  const unsigned ofRow = __ballot_sync(kFullMask, out.takes) >> (lane / perRow * perRow);
  row.next += __popc(ofRow & kFullMask >> (32 - perRow));
  return out;
}

} // namespace specmv
