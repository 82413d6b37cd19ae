// Packs a matrix for BCSR (templates/bcsr.cuh): counts the blocks of each block row, then fills the
// slices, some steps at a time in shared memory.
#pragma once
#include "pack/bcsr_sizes.cuh"
#include "pack/block_row.cuh"
#include "pack/slots.cuh"

namespace specmv {

template <class Index, class Column> struct BcsrCountArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Column *blocks;   // of each block row
  Int64 *bcsrFound; // zeros, of kBcsrFound numbers
  long long rows, blockRows;
  int r, c, local;
};

// Whether the lane's entry does not ascend: entries that do not, or that repeat, are the host's.
template <class Index>
__device__ __forceinline__ bool bcsrDescends(const Index *csrCol, const BlockEntry<Index> &at,
                                             Index begin, int perRow) {
  const Index left = __shfl_up_sync(kFullMask, at.col, 1);
  const bool isFirst = threadIdx.x % perRow == 0;
  const Index before = !isFirst ? left : at.has && at.entry > begin ? csrCol[at.entry - 1] : -1;
  return at.has && at.col <= before;
}

// A warp takes each n-th block row.
template <class Index, class Column>
__device__ __forceinline__ void bcsrCount(const BcsrCountArgs<Index, Column> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  const bool isFirstLane = threadIdx.x % 32 == 0;
  long long least = 0, most = 0, blocks = 0, total;
  bool isLeft = false;
  const long long step = static_cast<long long>(gridDim.x) * (kSetupBlock / 32);
  for (long long at = static_cast<long long>(blockIdx.x) * (kSetupBlock / 32) + threadIdx.x / 32;
       at < a.blockRows; at += step) {
    BlockRow<Index> row = bcsrBegin(a.csrRowPtr, a.rows, at, a.r);
    const Index begin = row.next;
    const bool isLong = __ballot_sync(kFullMask, row.end - row.next > kMaxMergedRow) != 0;
    isLeft = isLeft || isLong;
    const long long origin = a.local ? bcsrOrigin(at, a.r, a.c) : 0;
    while (!isLong && __ballot_sync(kFullMask, row.next < row.end)) {
      const BlockEntry<Index> entry = bcsrRound(a.csrCol, a.r, a.c, 0x7fffffff, row);
      const bool descends = bcsrDescends(a.csrCol, entry, begin, bcsrRowLanes(a.r));
      isLeft = isLeft || descends;
      if (entry.leads)
        least = min(least, static_cast<long long>(entry.column) - origin);
    }
    if (row.blocks > 0)
      most = max(most, static_cast<long long>(row.last) - origin);
    if (isFirstLane)
      a.blocks[at] = static_cast<Column>(row.blocks);
    blocks += isFirstLane ? row.blocks : 0;
  }
  blockScan<kSetupBlock>(blocks, warpSums, total);
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(a.bcsrFound + kBcsrBlocks),
              static_cast<unsigned long long>(total));
    // The others are rare, but for the greatest column.
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2)
    least = min(least, __shfl_xor_sync(kFullMask, least, lanes));
  isLeft = __ballot_sync(kFullMask, isLeft) != 0;
  __syncthreads();
  if (isFirstLane)
    warpSums[threadIdx.x / 32] = most;
  __syncthreads();
  for (int warp = 0; threadIdx.x == 0 && warp < kSetupBlock / 32; ++warp)
    most = max(most, warpSums[warp]);
  if (threadIdx.x == 0)
    atomicMax(a.bcsrFound + kBcsrMost, most);
  if (isFirstLane && least < 0)
    atomicMin(a.bcsrFound + kBcsrLeast, least);
  if (isFirstLane && isLeft)
    atomicMax(a.bcsrFound + kBcsrLeft, 1LL);
}

template <class Column> struct BcsrStepsArgs {
  const Column *blocks;
  Int64 *stepStart; // slices + 1; gets the steps of each slice
  long long blockRows, slices;
  int laneBits;
};

// One thread a slice.
template <class Column> __device__ __forceinline__ void bcsrSteps(const BcsrStepsArgs<Column> &a) {
  const long long slice = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (slice >= a.slices)
    return;
  const int sliceRows = 32 >> a.laneBits;
  long long most = 0;
  for (int i = 0; i < sliceRows && slice * sliceRows + i < a.blockRows; ++i)
    most = max(most, static_cast<long long>(a.blocks[slice * sliceRows + i]));
  a.stepStart[slice] = (most + (1 << a.laneBits) - 1) >> a.laneBits;
}

template <class Index, class Offset, class Value, class Local, class Mask> struct BcsrFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  const Value *csrVal;
  const Int64 *stepStart; // slices + 1
  Offset *sliceStart;
  Local *col;
  Mask *mask;
  Value *val;
  long long rows, blockRows, slices;
  int r, c, laneBits, full, local;
  int tileSlices,
      tileSteps; // slices of a block of threads, and their steps that it fills at a time
};

// How far the merge of a row has come, between two tiles.
template <class Index> struct BcsrKept {
  Index next, last;
  int blocks;
};

// What the threads of a block share: the next steps of its slices.
template <class Value, class Index> struct BcsrTile {
  Value *values;
  long long *columns;
  unsigned *masks;       // two words a block
  BcsrKept<Index> *kept; // of each row of each block row
};

template <class Args, class Tile>
__device__ __forceinline__ void bcsrClear(const Args &a, const Tile &tile) {
  const int blocks = a.tileSlices * a.tileSteps * 32;
  for (int i = static_cast<int>(threadIdx.x); i < blocks * a.r * a.c; i += kSetupBlock)
    tile.values[i] = 0;
  for (int i = static_cast<int>(threadIdx.x); i < blocks; i += kSetupBlock)
    tile.columns[i] = 0, tile.masks[2 * i] = tile.masks[2 * i + 1] = 0;
}

// Puts the blocks from number `begin` on of a block row into the tile; `start` is the first step of
// its slice there.
template <class Args, class Tile, class Index>
__device__ __forceinline__ void bcsrMerge(const Args &a, const Tile &tile, long long blockRow,
                                          int start, int begin, BlockRow<Index> &row) {
  const long long origin = a.local ? bcsrOrigin(blockRow, a.r, a.c) : 0;
  const int inBlock = static_cast<int>(threadIdx.x) % 32 / bcsrRowLanes(a.r);
  const int limit = begin + (a.tileSteps << a.laneBits);
  while (__ballot_sync(kFullMask, row.next < row.end)) {
    const BlockEntry<Index> at = bcsrRound(a.csrCol, a.r, a.c, limit, row);
    if (!__ballot_sync(kFullMask, at.takes))
      break; // all others are behind the tile
    if (at.takes) {
      const auto place = static_cast<int>(bcsrPlace(start, blockRow, at.rank - begin, a.laneBits));
      const int bit = static_cast<int>(at.col - at.column * a.c) * a.r + inBlock;
      atomicOr(tile.masks + (2 * place + bit / 32), 1U << bit % 32);
      tile.values[bcsrSlot(place, bit, a.r * a.c)] = a.csrVal[at.entry];
      if (at.leads)
        tile.columns[place] = at.column - origin;
    }
  }
}

// Fills the tile with the steps from number `begin` on of each slice; a warp takes each eighth
// block row.
template <class Args, class Tile, class Index>
__device__ __forceinline__ void bcsrFillTile(const Args &a, const Tile &tile, const Index *rowPtr,
                                             long long firstSlice, int begin) {
  const int lane = static_cast<int>(threadIdx.x) % 32, perRow = bcsrRowLanes(a.r);
  const int sliceBits = 5 - a.laneBits, count = a.tileSlices << sliceBits;
  for (int i = static_cast<int>(threadIdx.x) / 32; i < count; i += kSetupBlock / 32) {
    const long long blockRow = (firstSlice << sliceBits) + i;
    if (blockRow >= a.blockRows)
      return;
    BlockRow<Index> row = bcsrBegin(rowPtr, a.rows, blockRow, a.r);
    auto &kept = tile.kept[i * kBcsrMaxSide + lane / perRow % kBcsrMaxSide];
    if (begin > 0)
      row.next = kept.next, row.last = kept.last, row.blocks = kept.blocks;
    bcsrMerge(a, tile, blockRow, (i >> sliceBits) * a.tileSteps, begin << a.laneBits, row);
    __syncwarp();
    if (lane % perRow == 0)
      kept = {row.next, row.last, row.blocks};
  }
}

// Writes steps of one slice: the first of them is step `first` of all, and `start` of the tile.
template <class Index, class Offset, class Value, class Local, class Mask, class Tile>
__device__ __forceinline__ void bcsrStore(const BcsrFillArgs<Index, Offset, Value, Local, Mask> &a,
                                          const Tile &tile, long long first, int start, int steps) {
  const int perStep = 32 * a.r * a.c, thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < steps * perStep; i += kSetupBlock)
    a.val[first * perStep + i] = tile.values[start * perStep + i];
  for (int i = thread; i < steps * 32; i += kSetupBlock) {
    const unsigned *mask = tile.masks + 2 * (start * 32 + i);
    a.col[first * 32 + i] = static_cast<Local>(tile.columns[start * 32 + i]);
    if (!a.full)
      a.mask[first * 32 + i] =
          static_cast<Mask>(mask[0] | static_cast<unsigned long long>(mask[1]) << 32);
  }
}

// A block of threads fills some slices.
template <class Index, class Offset, class Value, class Local, class Mask>
__device__ __forceinline__ void bcsrFill(const BcsrFillArgs<Index, Offset, Value, Local, Mask> &a) {
  SPECMV_SHARED_ARRAY(Value, values, kBcsrTileBytes / int(sizeof(Value)));
  SPECMV_SHARED_ARRAY(long long, columns, kBcsrTileSteps * 32);
  SPECMV_SHARED_ARRAY(unsigned, masks, kBcsrTileSteps * 32 * 2);
  SPECMV_SHARED_ARRAY(BcsrKept<Index>, kept, 32 * kBcsrMaxSide);
  const BcsrTile<Value, Index> tile{values, columns, masks, kept};
  const long long firstSlice = static_cast<long long>(blockIdx.x) * a.tileSlices;
  const auto slices = static_cast<int>(min(a.slices - firstSlice, Int64(a.tileSlices)));
  Int64 steps = 0;
  for (int i = 0; i < slices; ++i)
    steps = max(steps, a.stepStart[firstSlice + i + 1] - a.stepStart[firstSlice + i]);
  if (static_cast<int>(threadIdx.x) < slices)
    a.sliceStart[firstSlice + threadIdx.x] =
        static_cast<Offset>(a.stepStart[firstSlice + threadIdx.x]);
  for (int begin = 0; begin < steps; begin += a.tileSteps) {
    bcsrClear(a, tile);
    __syncthreads();
    bcsrFillTile(a, tile, a.csrRowPtr, firstSlice, begin);
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
