// The blocks of a block row of BCSR, in ascending order. A warp merges the rows, whose columns
// ascend, a few entries of each row at a time. Usually all rows have their next entries in the same
// blocks; these entries are taken without a merge.
#pragma once
#include "setup/block.cuh"

namespace specmv {

// The sides r and c of the blocks, and the entries of a block row that the lane processes.
struct BlockLanes {
  int r, c;
  unsigned factor; // bcsrFactor(c)
  int shift;       // bcsrShift(c)
  int perRow;      // lanes per row
  int own, part;   // the lane's row, and its number among the lanes of that row
};

template <class Args> __device__ __forceinline__ BlockLanes bcsrLanes(const Args &a) {
  const int lane = static_cast<int>(threadIdx.x) % 32, perRow = 32 / a.r, own = lane / perRow;
  return {a.r, a.c, static_cast<unsigned>(a.factor), a.shift, perRow, own, lane - own * perRow};
}

// Extracts the bits of those lanes that share the lane's row.
__device__ __forceinline__ unsigned bcsrOfRow(const BlockLanes &lanes, unsigned bits) {
  return bits >> lanes.own * lanes.perRow & kFullMask >> (32 - lanes.perRow);
}

// A number larger than every column.
template <class Index> __device__ constexpr Index noColumn() {
  return static_cast<Index>(~0ULL >> (65 - 8 * int(sizeof(Index))));
}

// The progress of a merge. `next` and `end` belong to the lane's row; all lanes have the same
// `last`, the column of the last block so far, and the same number of blocks.
template <class Index> struct BlockRow {
  Index next = 0, end = 0, last = -1;
  int blocks = 0;
  bool isRow = false; // the last block row may have fewer rows
};

// A lane's part of a round: an entry, its block's column and the block's number in the block row.
template <class Index> struct BlockEntry {
  bool has, takes, leads; // is an entry, was taken, is the first of its block
  Index entry, col, column;
  int rank;
};

// The rows of a block row before the merge.
template <class Index>
__device__ __forceinline__ BlockRow<Index> bcsrBegin(const Index *rowPtr, long long rows,
                                                     long long blockRow, const BlockLanes &lanes) {
  const long long row = blockRow * lanes.r + lanes.own;
  BlockRow<Index> out;
  out.isRow = lanes.own < lanes.r && row < rows;
  if (out.isRow)
    out.next = rowPtr[row], out.end = rowPtr[row + 1];
  return out;
}

// Returns col / c. `sides` has c, its factor and its shift.
template <class Index, class Sides>
__device__ __forceinline__ Index bcsrColumn(Index col, const Sides &sides) {
  if constexpr (sizeof(Index) == 4)
    return static_cast<Index>(static_cast<unsigned long long>(static_cast<unsigned>(col)) *
                                  static_cast<unsigned>(sides.factor) >>
                              sides.shift);
  else
    return col / sides.c;
}

// Takes entries of the first `limit` blocks. A row may have more entries of its last visible block
// than its lanes see. Blocks after the smallest of these last ones must therefore wait, and that
// block may get more entries in the next round.
template <class Index>
__device__ __forceinline__ BlockEntry<Index> bcsrRound(const Index *csrCol, const BlockLanes &lanes,
                                                       int limit, BlockRow<Index> &row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  BlockEntry<Index> out = {};
  out.entry = row.next + lanes.part;
  out.has = out.entry < row.end;
  out.col = out.has ? csrCol[out.entry] : Index(0);
  out.column = out.has ? bcsrColumn(out.col, lanes) : noColumn<Index>();
  const bool hasMore = lanes.part == lanes.perRow - 1 && out.entry + 1 < row.end;
  Index bound = hasMore ? out.column : noColumn<Index>();
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
  row.next += __popc(bcsrOfRow(lanes, __ballot_sync(kFullMask, out.takes)));
  return out;
}

// Does the same if all rows have their next entries in the same blocks, so that the first row gives
// the block numbers of all. Otherwise returns false and takes no entries. `out` already has its
// entry.
template <class Index>
__device__ __forceinline__ bool bcsrAlike(const BlockLanes &lanes, int limit, BlockRow<Index> &row,
                                          BlockEntry<Index> &out) {
  out.column = out.has ? bcsrColumn(out.col, lanes) : noColumn<Index>();
  const Index ofFirst = __shfl_sync(kFullMask, out.column, lanes.part);
  if (__ballot_sync(kFullMask, row.isRow && out.column != ofFirst))
    return false;
  const Index left = __shfl_up_sync(kFullMask, ofFirst, 1);
  const bool isNew = out.has && out.column != (lanes.part == 0 ? row.last : left);
  const unsigned ofFirstRow = kFullMask >> (32 - lanes.perRow);
  const unsigned news = __ballot_sync(kFullMask, isNew) & ofFirstRow;
  out.rank = row.blocks - 1 + __popc(news & ((2U << lanes.part) - 1));
  out.takes = out.has && out.rank < limit;
  out.leads = isNew && out.takes && lanes.own == 0;
  const int taken = __popc(__ballot_sync(kFullMask, out.takes) & ofFirstRow);
  row.blocks = min(row.blocks + __popc(news), limit);
  row.last = taken > 0 ? __shfl_sync(kFullMask, ofFirst, taken - 1) : row.last;
  row.next += row.isRow ? taken : 0;
  return true;
}

// The number of entries that each lane loads before it uses the first.
enum : int {
  kBcsrAhead = 4,
  // Rounds of merging after rows differed. There are few, because rows of which one lacks an entry
  // soon agree again, but more than one, so that rows that never agree cost little more.
  kBcsrMerged = 3,
};

// Takes entries as long as the rows agree. Returns false as soon as they do not.
template <class Index, class Load, class Take>
__device__ __forceinline__ bool bcsrTakeAlike(const Index *csrCol, const BlockLanes &lanes,
                                              int limit, BlockRow<Index> &row, const Load &load,
                                              const Take &take) {
  const Index begin = row.next + lanes.part;
  Index col[kBcsrAhead];
  decltype(load(begin)) loaded[kBcsrAhead];
#pragma unroll
  for (int i = 0; i < kBcsrAhead; ++i) {
    const Index entry = begin + i * lanes.perRow;
    col[i] = entry < row.end ? csrCol[entry] : Index(0);
    loaded[i] = entry < row.end ? load(entry) : decltype(load(begin))(0);
  }
#pragma unroll
  for (int i = 0; i < kBcsrAhead; ++i) {
    BlockEntry<Index> at = {};
    at.entry = begin + i * lanes.perRow;
    at.has = at.entry < row.end;
    at.col = col[i];
    if (!bcsrAlike(lanes, limit, row, at))
      return false;
    take(at, loaded[i]);
    if (!__ballot_sync(kFullMask, at.takes) || __ballot_sync(kFullMask, at.has && !at.takes))
      break;
  }
  return true;
}

// Takes the entries of the first `limit` blocks. In every round, each lane calls take(entry,
// loaded) with its BlockEntry, taken or not, and with the result of load() for a taken entry.
template <class Index, class Load, class Take>
__device__ __forceinline__ void bcsrMerge(const Index *csrCol, const BlockLanes &lanes, int limit,
                                          BlockRow<Index> &row, const Load &load,
                                          const Take &take) {
  int merged = 0; // rounds until the rows are compared again
#pragma unroll 1
  while (__ballot_sync(kFullMask, row.next < row.end)) {
    if (merged == 0) {
      const Index before = row.next;
      if (!bcsrTakeAlike(csrCol, lanes, limit, row, load, take))
        merged = kBcsrMerged;
      else if (!__ballot_sync(kFullMask, row.next != before))
        return; // all others are beyond the limit
      continue;
    }
    --merged;
    const BlockEntry<Index> at = bcsrRound(csrCol, lanes, limit, row);
    if (!__ballot_sync(kFullMask, at.takes))
      return;
    take(at, at.takes ? load(at.entry) : decltype(load(at.entry))(0));
  }
}

} // namespace specmv
