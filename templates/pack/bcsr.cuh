// Packs a matrix for BCSR (templates/bcsr.cuh): counts the blocks of each block row, then fills the
// slices, a few steps at a time in shared memory.
#pragma once
#include "pack/bcsr_tally.cuh"
#include "pack/block_row.cuh"
#include "pack/entries.cuh"
#include "pack/slots.cuh"

namespace specmv {

// An array of unsigned numbers of `bytes` bytes each: 1, 2, 4 or 8. One kernel then fills arrays of
// all types.
struct SizedNumbers {
  unsigned char *at;
  int bytes;
  __device__ __forceinline__ void put(long long i, unsigned long long number) const {
    if (bytes == 1)
      at[i] = static_cast<unsigned char>(number);
    else if (bytes == 2)
      reinterpret_cast<unsigned short *>(at)[i] = static_cast<unsigned short>(number);
    else if (bytes == 4)
      reinterpret_cast<unsigned *>(at)[i] = static_cast<unsigned>(number);
    else
      reinterpret_cast<unsigned long long *>(at)[i] = number;
  }
};

template <class Index, class Column> struct BcsrCountArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Column *blocks;   // of each block row
  Int64 *bcsrFound; // kBcsrFound numbers, zero before the call
  long long rows, blockRows;
  int r, c;
  long long factor;
  int shift, local;
};

// Returns true if the lane's column does not ascend; the host packs matrices with such or with
// repeated entries. `last` is the column before the first entry of this round, and becomes the
// column of the last entry taken.
template <class Index>
__device__ __forceinline__ bool bcsrDescends(const BlockLanes &lanes, const BlockEntry<Index> &at,
                                             const BlockRow<Index> &row, Index &last) {
  const Index left = __shfl_up_sync(kFullMask, at.col, 1);
  const bool descends = at.has && at.col <= (lanes.part == 0 ? last : left);
  const auto taken = static_cast<int>(row.next - (at.entry - lanes.part));
  const Index next = __shfl_sync(kFullMask, at.col, lanes.own * lanes.perRow + max(taken, 1) - 1);
  last = taken > 0 ? next : last;
  return descends;
}

// Warps share the block rows in turn: each takes every n-th one.
template <class Index, class Column>
__device__ __forceinline__ void bcsrCount(const BcsrCountArgs<Index, Column> &a) {
  const bool isFirstLane = threadIdx.x % 32 == 0;
  BcsrTally tally;
  const BlockLanes lanes = bcsrLanes(a);
  const long long step = static_cast<long long>(gridDim.x) * (kSetupBlock / 32);
  for (long long at = static_cast<long long>(blockIdx.x) * (kSetupBlock / 32) + threadIdx.x / 32;
       at < a.blockRows; at += step) {
    BlockRow<Index> row = bcsrBegin(a.csrRowPtr, a.rows, at, lanes);
    const bool isLong = __ballot_sync(kFullMask, row.end - row.next > kMaxMergedRow) != 0;
    tally.isLeft = tally.isLeft || isLong;
    const long long origin = a.local ? bcsrOrigin(at, a.r, a.c) : 0;
    Index last = -1;
    const auto count = [&](const BlockEntry<Index> &entry, int /*loaded*/) {
      const bool descends = bcsrDescends(lanes, entry, row, last);
      tally.isLeft = tally.isLeft || descends;
      if (entry.leads)
        tally.least = min(tally.least, static_cast<long long>(entry.column) - origin);
    };
    if (!isLong)
      bcsrMerge(
          a.csrCol, lanes, 0x7fffffff, row, [](Index) { return 0; }, count);
    if (row.blocks > 0)
      tally.most = max(tally.most, static_cast<long long>(row.last) - origin);
    if (isFirstLane)
      a.blocks[at] = static_cast<Column>(row.blocks);
    tally.blocks += isFirstLane ? row.blocks : 0;
  }
  bcsrReport(tally, a.bcsrFound);
}

template <class Column> struct BcsrStepsArgs {
  const Column *blocks;
  Int64 *stepStart; // slices + 1; receives the number of steps of each slice
  Int64 *bcsrFound; // kBcsrSteps receives the total number of steps
  long long blockRows, slices;
  int laneBits;
};

// One thread per slice.
template <class Column> __device__ __forceinline__ void bcsrSteps(const BcsrStepsArgs<Column> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  const long long slice = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  const int sliceRows = 32 >> a.laneBits;
  long long most = 0, total;
  for (int i = 0; i < sliceRows && slice * sliceRows + i < a.blockRows; ++i)
    most = max(most, static_cast<long long>(a.blocks[slice * sliceRows + i]));
  const long long steps = (most + (1 << a.laneBits) - 1) >> a.laneBits;
  if (slice < a.slices)
    a.stepStart[slice] = steps;
  blockScan<kSetupBlock>(steps, warpSums, total);
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(a.bcsrFound + kBcsrSteps),
              static_cast<unsigned long long>(total));
}

template <class Index, class Offset, class Value> struct BcsrFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  const Int64 *stepStart; // slices + 1
  Offset *sliceStart;
  SizedNumbers col, mask;
  long long rows, blockRows, slices;
  int r, c;
  long long factor;
  int shift, laneBits, full, local;
  int tileSlices,
      tileSteps; // slices per block of threads, and steps of a slice that it fills at a time
};

// The progress of a row's merge, kept between two tiles.
template <class Index> struct BcsrKept {
  Index next, last;
  int blocks;
};

// The shared memory of a block of threads: the next steps of its slices.
template <class Item, class Index> struct BcsrTile {
  Item *items;
  long long *columns;
  unsigned *masks;       // two words per block
  BcsrKept<Index> *kept; // for each row of each block row
};

// The values in one place of 32 blocks are stored together. Each further place is shifted by one
// more bank than in the array, so that lanes that write the places of one block use different
// banks.
enum : int { kBcsrTileStride = 33 };
__device__ __forceinline__ int bcsrTileSlot(int block, int bit, int places) {
  return (block / 32 * places + bit) * kBcsrTileStride + block % 32;
}

// Clears `steps` steps of the tile.
template <class Args, class Tile>
__device__ __forceinline__ void bcsrClear(const Args &a, const Tile &tile, int steps) {
  for (int i = static_cast<int>(threadIdx.x); i < steps * a.r * a.c * kBcsrTileStride;
       i += kSetupBlock)
    tile.items[i] = 0;
  for (int i = static_cast<int>(threadIdx.x); i < steps * 32; i += kSetupBlock)
    tile.columns[i] = 0, tile.masks[2 * i] = tile.masks[2 * i + 1] = 0;
}

// Puts the blocks of a block row, from number `begin` on, into the tile; `start` is the first step
// of its slice there.
template <class Args, class Tile, class Index>
__device__ __forceinline__ void bcsrPut(const Args &a, const Tile &tile, const BlockLanes &lanes,
                                        long long blockRow, int start, int begin,
                                        BlockRow<Index> &row) {
  const long long origin = a.local ? bcsrOrigin(blockRow, a.r, a.c) : 0;
  const auto load = [&](Index entry) { return a.entries.item(true, entry); };
  const auto put = [&](const BlockEntry<Index> &at, decltype(load(Index(0))) item) {
    if (!at.takes)
      return;
    const auto place = static_cast<int>(bcsrPlace(start, blockRow, at.rank - begin, a.laneBits));
    const int bit = static_cast<int>(at.col - at.column * a.c) * a.r + lanes.own;
    if (!a.full)
      atomicOr(tile.masks + (2 * place + bit / 32), 1U << bit % 32);
    tile.items[bcsrTileSlot(place, bit, a.r * a.c)] = item;
    if (at.leads)
      tile.columns[place] = at.column - origin;
  };
  bcsrMerge(a.csrCol, lanes, begin + (a.tileSteps << a.laneBits), row, load, put);
}

// Fills the tile with the steps of each slice from number `begin` on; a warp takes every eighth
// block row.
template <class Args, class Tile>
__device__ __forceinline__ void bcsrFillTile(const Args &a, const Tile &tile,
                                             const BlockLanes &lanes, long long firstSlice,
                                             int begin) {
  const int sliceBits = 5 - a.laneBits, count = a.tileSlices << sliceBits;
  for (int i = static_cast<int>(threadIdx.x) / 32; i < count; i += kSetupBlock / 32) {
    const long long blockRow = (firstSlice << sliceBits) + i;
    if (blockRow >= a.blockRows)
      return;
    auto row = bcsrBegin(a.csrRowPtr, a.rows, blockRow, lanes);
    auto &kept = tile.kept[i * kBcsrMaxSide + lanes.own % kBcsrMaxSide];
    if (begin > 0)
      row.next = kept.next, row.last = kept.last, row.blocks = kept.blocks;
    bcsrPut(a, tile, lanes, blockRow, (i >> sliceBits) * a.tileSteps, begin << a.laneBits, row);
    __syncwarp();
    if (lanes.part == 0)
      kept = {row.next, row.last, row.blocks};
  }
}

// Writes steps of one slice: the first is step `first` of the layout and step `start` of the tile.
template <class Index, class Offset, class Value, class Tile>
__device__ __forceinline__ void bcsrStore(const BcsrFillArgs<Index, Offset, Value> &a,
                                          const Tile &tile, long long first, int start, int steps) {
  const int perStep = 32 * a.r * a.c, thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < steps * perStep; i += kSetupBlock)
    a.entries.put(first * perStep + i,
                  tile.items[bcsrTileSlot(i % 32, start * a.r * a.c + i / 32, a.r * a.c)]);
  for (int i = thread; i < steps * 32; i += kSetupBlock) {
    const unsigned *mask = tile.masks + 2 * (start * 32 + i);
    a.col.put(first * 32 + i, static_cast<unsigned long long>(tile.columns[start * 32 + i]));
    if (!a.full)
      a.mask.put(first * 32 + i, mask[0] | static_cast<unsigned long long>(mask[1]) << 32);
  }
}

// A block of threads fills a few slices.
template <class Index, class Offset, class Value>
__device__ __forceinline__ void bcsrFill(const BcsrFillArgs<Index, Offset, Value> &a) {
  using Item = typename Entries<Value>::Item;
  SPECMV_SHARED_ARRAY(Item, items, kBcsrTileBytes / int(sizeof(Value)) / 32 * kBcsrTileStride);
  SPECMV_SHARED_ARRAY(long long, columns, kBcsrTileSteps * 32);
  SPECMV_SHARED_ARRAY(unsigned, masks, kBcsrTileSteps * 32 * 2);
  SPECMV_SHARED_ARRAY(BcsrKept<Index>, kept, 32 * kBcsrMaxSide);
  const BcsrTile<Item, Index> tile{items, columns, masks, kept};
  const BlockLanes lanes = bcsrLanes(a);
  const long long firstSlice = static_cast<long long>(blockIdx.x) * a.tileSlices;
  const auto slices = static_cast<int>(min(a.slices - firstSlice, Int64(a.tileSlices)));
  Int64 steps = 0;
  for (int i = 0; i < slices; ++i)
    steps = max(steps, a.stepStart[firstSlice + i + 1] - a.stepStart[firstSlice + i]);
  if (static_cast<int>(threadIdx.x) < slices)
    a.sliceStart[firstSlice + threadIdx.x] =
        static_cast<Offset>(a.stepStart[firstSlice + threadIdx.x]);
  for (int begin = 0; begin < steps; begin += a.tileSteps) {
    const int lastSteps = static_cast<int>(min(steps - begin, Int64(a.tileSteps)));
    bcsrClear(a, tile, (a.tileSlices - 1) * a.tileSteps + lastSteps);
    __syncthreads();
    bcsrFillTile(a, tile, lanes, firstSlice, begin);
    __syncthreads();
    for (int i = 0; i < slices; ++i) {
      const Int64 first = a.stepStart[firstSlice + i] + begin;
      const Int64 left = a.stepStart[firstSlice + i + 1] - first;
      bcsrStore(a, tile, first, i * a.tileSteps,
                static_cast<int>(min(max(left, Int64(0)), Int64(a.tileSteps))));
    }
    __syncthreads();
  }
}

} // namespace specmv
