// Packs a matrix whose blocks are all full for BCSR (templates/bcsr.cuh), without a merge. The rows
// of a block row then have the same length, and an entry's number in its row gives its block and
// place. This is checked for every entry; if it does not hold, kBcsrLeft is set, and bcsr.cuh must
// pack.
#pragma once
#include "pack/bcsr.cuh"
#include "pack/bcsr_full_rows.cuh"

namespace specmv {

// Counts the blocks by the lengths of rows, and takes the columns of the first and last block of a
// block row as the smallest and the largest. Leaves long rows to bcsr.cuh, since one block of
// threads fills a whole slice. One thread takes one block row after another.
template <class Index, class Column>
__device__ __forceinline__ void bcsrCountFull(const BcsrCountArgs<Index, Column> &a) {
  BcsrTally tally;
  for (long long at = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
       at < a.blockRows; at += static_cast<long long>(gridDim.x) * kSetupBlock) {
    const long long row = at * a.r;
    const Index *rowPtr = a.csrRowPtr + row;
    const Index first = rowPtr[0], length = rowPtr[1] - first;
    for (int i = 1; i < a.r; ++i) // rows after the last one have no entries
      tally.isLeft |= (row + i < a.rows ? rowPtr[i + 1] - rowPtr[i] : 0) != length;
    const Index blocks = bcsrColumn(length, a);
    tally.isLeft |= blocks * a.c != length || length > kMaxMergedRow;
    tally.blocks += blocks;
    a.blocks[at] = static_cast<Column>(blocks);
    if (length == 0)
      continue;
    const long long origin = a.local ? bcsrOrigin(at, a.r, a.c) : 0;
    tally.least = min(tally.least, bcsrColumn(a.csrCol[first], a) - origin);
    tally.most = max(tally.most, bcsrColumn(a.csrCol[first + length - 1], a) - origin);
  }
  bcsrReport(tally, a.bcsrFound);
}

template <class Index, class Offset, class Value, class Column> struct BcsrFillFullArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  const Column *blocks;
  const Int64 *stepStart; // slices + 1
  Offset *sliceStart;
  SizedNumbers col;
  Int64 *bcsrFound; // set to 1 if a block is not full
  long long blockRows, slices;
  int r, c;
  long long factor;
  int shift, laneBits, local;
  int tileSlices, tileSteps; // as in BcsrFillArgs
  int lineFactor;            // bcsrLineFactor(r c)
  int groups, perRound;      // block rows that a warp takes at a time, and blocks of each
};

// Reads where the slices and block rows of a tile begin.
template <class Index, class Offset, class Value, class Column, class Tile>
__device__ __forceinline__ void
bcsrBeginFull(const BcsrFillFullArgs<Index, Offset, Value, Column> &a, const Tile &tile,
              int slices) {
  const auto thread = static_cast<int>(threadIdx.x);
  const Int64 firstSlice = static_cast<Int64>(blockIdx.x) * a.tileSlices;
  if (thread <= slices)
    tile.starts[thread] = a.stepStart[firstSlice + thread];
  if (thread < slices)
    a.sliceStart[firstSlice + thread] = static_cast<Offset>(a.stepStart[firstSlice + thread]);
  const Int64 blockRow = (firstSlice << (5 - a.laneBits)) + thread;
  if (thread >= kBcsrTileRows)
    return;
  const bool isRow = blockRow < a.blockRows;
  BcsrFullRow<Index> &row = tile.rows[thread];
  row.first = isRow ? a.csrRowPtr[blockRow * a.r] : Index(0);
  row.origin = isRow && a.local ? static_cast<Index>(bcsrOrigin(blockRow, a.r, a.c)) : Index(0);
  row.blocks = isRow ? static_cast<int>(a.blocks[blockRow]) : 0;
}

// Writes `lines` lines of 32 slots, the first of which is `slot`; the lane's item of the first line
// is at `from` in the tile. In the tile, each step of `places` lines is followed by a gap of
// `skipped` items. The lines start with a step.
template <class Value>
__device__ __forceinline__ void bcsrStoreLines(const Entries<Value> &to, Int64 slot,
                                               const WordOf<Value> *from, int lines, int skipped,
                                               int lineFactor) {
  constexpr int kWarps = kSetupBlock / 32, kAhead = 4;
  const auto lineAt = [&](int i) {
    return from[i + (skipped == 0 ? 0 : (i * lineFactor >> 16) * skipped)];
  };
  int i = static_cast<int>(threadIdx.x) / 32;
  slot += i * 32 + static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (; i + (kAhead - 1) * kWarps < lines; i += kAhead * kWarps, slot += kAhead * kWarps * 32) {
    WordOf<Value> v[kAhead];
#pragma unroll
    for (int n = 0; n < kAhead; ++n)
      v[n] = lineAt(i + n * kWarps);
#pragma unroll
    for (int n = 0; n < kAhead; ++n)
      to.put(slot + n * kWarps * 32, v[n]);
  }
#pragma unroll 1
  for (; i < lines; i += kWarps, slot += kWarps * 32)
    to.put(slot, lineAt(i));
}

// Writes the columns of some steps of blocks from number `first` on; `columns` points to the lane's
// first one in the tile. Returns 0 if each block begins at a multiple of c.
template <class Args, class Index>
__device__ __forceinline__ Index bcsrStoreColumns(const Args &a, Int64 first, const Index *columns,
                                                  int steps, Index origin) {
  Index wrong = 0;
  for (int i = static_cast<int>(threadIdx.x) / 32; i < steps; i += kSetupBlock / 32) {
    const Index col = columns[i << a.laneBits], column = bcsrColumn(max(col, Index(0)), a);
    wrong |= (column * a.c) ^ max(col, Index(0));
    a.col.put(first + i * 32 + static_cast<int>(threadIdx.x) % 32,
              static_cast<unsigned long long>(col < 0 ? Index(0) : column - origin));
  }
  return wrong;
}

// Writes the steps of each slice from number `begin` on, which are in the tile.
template <class Args, class Tile>
__device__ __forceinline__ auto bcsrStoreFull(const Args &a, const Tile &tile, int slices,
                                              int begin) {
  const int lane = static_cast<int>(threadIdx.x) % 32, places = a.r * a.c;
  const int inRow = lane & ((1 << a.laneBits) - 1);
  typename Tile::Index wrong = 0;
  for (int i = 0; i < slices; ++i) {
    const Int64 first = tile.starts[i] + begin;
    const auto left = static_cast<int>(tile.starts[i + 1] - first);
    const int steps = max(min(left, a.tileSteps), 0);
    const int row = (i << (5 - a.laneBits)) + (lane >> a.laneBits);
    const int place = row * tile.rowBlocks + inRow;
    bcsrStoreLines(a.entries, first * 32 * places, tile.items + place * tile.blockStride,
                   steps * places, (tile.blockStride << a.laneBits) - places, a.lineFactor);
    wrong |= bcsrStoreColumns(a, first * 32, tile.columns + place, steps, tile.rows[row].origin);
  }
  return wrong;
}

// Fills the tile, from block `begin` on, with all rows of a block at a time or with 4.
template <class Args, class Tile, class Index>
__device__ __forceinline__ Index bcsrFillFullTile(const Args &a, const Tile &tile,
                                                  const BcsrFullLane<Index> &lane, int begin,
                                                  int blocks) {
  switch (a.r) {
  case 1:
    return bcsrFillFullRows<1, true>(a, tile, lane, begin, blocks);
  case 2:
    return bcsrFillFullRows<2, true>(a, tile, lane, begin, blocks);
  case 3:
    return bcsrFillFullRows<3, true>(a, tile, lane, begin, blocks);
  case 4:
    return bcsrFillFullRows<4, true>(a, tile, lane, begin, blocks);
  default:
    return bcsrFillFullRows<4, false>(a, tile, lane, begin, blocks);
  }
}

// A block of threads fills a few slices.
template <class Index, class Offset, class Value, class Column>
__device__ __forceinline__ void
bcsrFillFull(const BcsrFillFullArgs<Index, Offset, Value, Column> &a) {
  SPECMV_SHARED_ARRAY(BcsrFullRow<Index>, rows, kBcsrTileRows);
  SPECMV_SHARED_ARRAY(Int64, starts, kBcsrTileSlices + 1);
  using Item = typename Entries<Value>::Item;
  SPECMV_SHARED_ARRAY(Item, items, kBcsrFullBytes / int(sizeof(Value)));
  SPECMV_SHARED_ARRAY(Index, columns, kBcsrFullSteps * 32);
  const BcsrFullTile<Index, Item> tile{rows,
                                       starts,
                                       items,
                                       columns,
                                       bcsrRowBlocks(a.tileSteps, a.laneBits),
                                       bcsrBlockStride(a.r * a.c)};
  const auto slices = static_cast<int>(
      min(a.slices - static_cast<Int64>(blockIdx.x) * a.tileSlices, Int64(a.tileSlices)));
  const auto lane = bcsrFullLane<Index>(a);
  bcsrBeginFull(a, tile, slices);
  __syncthreads();
  int steps = 0;
#pragma unroll 1
  for (int i = 0; i < slices; ++i)
    steps = max(steps, static_cast<int>(starts[i + 1] - starts[i]));
  Index wrong = 0;
#pragma unroll 1
  for (int begin = 0; begin < steps; begin += a.tileSteps) {
    const int blocks = min(steps - begin, a.tileSteps) << a.laneBits;
    wrong |= bcsrFillFullTile(a, tile, lane, begin << a.laneBits, blocks);
    __syncthreads();
    wrong |= bcsrStoreFull(a, tile, slices, begin);
    __syncthreads();
  }
  if (__ballot_sync(kFullMask, wrong != 0) && threadIdx.x % 32 == 0)
    atomicMax(a.bcsrFound + kBcsrLeft, 1LL);
}

} // namespace specmv
