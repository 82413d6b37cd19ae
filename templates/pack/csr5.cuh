// Packs a matrix for CSR5 (templates/csr5.cuh). One thread per row marks where rows begin, one
// thread per lane counts these marks, and warps bring the entries into the order of tiles.
#pragma once
#include "pack/csr5_sizes.cuh"
#include "pack/entries.cuh"

namespace specmv {

template <class Index, class Offset, class Flags> struct Csr5RowsArgs {
  const Index *csrRowPtr;
  Flags *bitFlag;    // zero before the call
  Offset *tilePtr;   // zero before the call
  Int64 *emptyCount; // for each kSetupBlock rows
  long long rows, nnz, tiles;
  int omega, sigma;
};

// If fewer tiles than this begin in a row, the row's thread writes them alone.
enum : int { kCsr5OwnTiles = 4 };

// Sets tilePtr of the tiles from .. to, whose preceding entry is in this row. The lanes of a warp
// share the work of a long row.
template <class Offset>
__device__ __forceinline__ void csr5TileRows(Offset *tilePtr, long long row, long long from,
                                             long long to) {
  const bool isLong = to - from >= kCsr5OwnTiles;
  for (long long tile = from; !isLong && tile <= to; ++tile)
    tilePtr[tile] = static_cast<Offset>(row);
  for (unsigned left = __ballot_sync(kFullMask, isLong); left; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    const long long last = __shfl_sync(kFullMask, to, lane);
    const long long longRow = __shfl_sync(kFullMask, row, lane);
    for (long long tile = __shfl_sync(kFullMask, from, lane) + threadIdx.x % 32; tile <= last;
         tile += 32)
      tilePtr[tile] = static_cast<Offset>(longRow);
  }
}

// One thread per row.
template <class Index, class Offset, class Flags>
__device__ __forceinline__ void csr5Rows(const Csr5RowsArgs<Index, Offset, Flags> &a) {
  SPECMV_SHARED_ARRAY(int, warpSums, 33);
  constexpr int bits = 8 * int(sizeof(Flags));
  const long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  const long long begin = row < a.rows ? a.csrRowPtr[row] : 0;
  const long long end = row < a.rows ? a.csrRowPtr[row + 1] : 0;
  const bool hasEntries = begin < end;
  if (hasEntries && begin > 0) {
    // Atomics, since several lanes share a word.
    const long long bit = csr5Lane(begin, a.sigma) * bits + csr5Bit(begin, a.sigma);
    atomicOr(reinterpret_cast<unsigned *>(a.bitFlag) + bit / 32, 1U << bit % 32);
  }
  if (hasEntries && begin == 0)
    a.tilePtr[0] = static_cast<Offset>(row);
  if (hasEntries && end == a.nnz)
    a.tilePtr[a.tiles] = static_cast<Offset>(row);
  // The last entry before tile t is number t x entries - 1.
  const long long entries = static_cast<long long>(a.omega) * a.sigma;
  csr5TileRows(a.tilePtr, row, begin / entries + 1, hasEntries ? end / entries : 0);
  int empty;
  blockScan<kSetupBlock>(int(row < a.rows && !hasEntries), warpSums, empty);
  if (threadIdx.x == 0)
    a.emptyCount[blockIdx.x] = empty;
}

template <class Index, class Offset, class Flags> struct Csr5LanesArgs {
  const Index *csrRowPtr;
  const Flags *bitFlag;
  const Offset *tilePtr;
  Int16 *laneOffset;
  Int64 *gapStart; // tiles + 1; the number of rows that end in a tile if these are not consecutive,
                   // otherwise 0
  Int64 *openRow;  // blocks + 1
  long long lanes, blocks;
  int omega, sigma, blockLanes; // blockLanes: of all tiles of a block of the product
};

// Returns the number of rows that end in a tile, or 0 if they are consecutive. They are consecutive
// if the row that is this many rows after the tile's first one begins at the last mark.
template <class Args>
__device__ __forceinline__ long long csr5Gaps(const Args &a, long long tile, int ends,
                                              long long lastMark) {
  return ends == 0 || a.csrRowPtr[a.tilePtr[tile] + ends] == lastMark ? 0 : ends;
}

// One thread per lane.
template <class Index, class Offset, class Flags>
__device__ __forceinline__ void csr5Lanes(const Csr5LanesArgs<Index, Offset, Flags> &a) {
  const long long own = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (own == 0)
    a.openRow[0] = a.openRow[a.blocks] = kNoRow;
  const unsigned flags = own < a.lanes ? static_cast<unsigned>(a.bitFlag[own]) : 0;
  const int lane = static_cast<int>(threadIdx.x) % 32, first = lane - lane % a.omega;
  const int upTo = warpScan(__popc(flags));
  const int beforeTile = __shfl_sync(kFullMask, upTo, first > 0 ? first - 1 : 0);
  const int ends = upTo - (first > 0 ? beforeTile : 0);
  // The lanes of this tile, up to this lane, that have a mark.
  const unsigned marked =
      __ballot_sync(kFullMask, flags != 0) >> first << first & kFullMask >> (31 - lane);
  const int lastMarked = marked ? 31 - __clz(static_cast<int>(marked)) : first;
  const unsigned lastFlags = __shfl_sync(kFullMask, flags, lastMarked);
  if (own >= a.lanes)
    return;
  a.laneOffset[own] = static_cast<Int16>((ends - __popc(flags)) * a.omega + (lane - lastMarked));
  const long long tile = own / a.omega;
  if (lane == first + a.omega - 1) {
    const int bit = 31 - __clz(static_cast<int>(lastFlags));
    const long long lastMark = (own - (lane - lastMarked)) * a.sigma + bit;
    a.gapStart[tile] = csr5Gaps(a, tile, ends, lastMark);
  }
  if (own > 0 && own % a.blockLanes == 0)
    a.openRow[own / a.blockLanes] = a.tilePtr[tile];
}

template <class Index, class Column, class Value> struct Csr5FillArgs {
  const Index *csrCol;
  Entries<Value> entries;
  Column *col;
  long long lanes, nnz;
  int omega, sigma;
};

// The number of entries of a lane that a warp moves together, and the space for them in shared
// memory: one element more, so that lanes use different banks.
enum : int { kCsr5Moved = 16, kCsr5Pitch = kCsr5Moved + 1 };

// A warp moves the entries of 32 consecutive lanes through shared memory.
template <class Index, class Column, class Value>
__device__ __forceinline__ void csr5Fill(const Csr5FillArgs<Index, Column, Value> &a) {
  constexpr int perWarp = 32 * kCsr5Pitch;
  SPECMV_SHARED_ARRAY(Column, columns, kCsr5FillBlock / 32 * perWarp);
  using Item = typename Entries<Value>::Item;
  SPECMV_SHARED_ARRAY(Item, items, kCsr5FillBlock / 32 * perWarp);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const long long first = (static_cast<long long>(blockIdx.x) * (kCsr5FillBlock / 32) + warp) * 32;
  Column *const ownColumns = columns + warp * perWarp;
  Item *const ownItems = items + warp * perWarp;
  for (int begin = 0; begin < a.sigma; begin += kCsr5Moved) {
    const int count = min(a.sigma - begin, kCsr5Moved);
#pragma unroll 4
    for (int i = lane; i < 32 * count; i += 32) {
      const int from = i / count, s = i % count;
      const long long entry = (first + from) * a.sigma + begin + s;
      const bool isEntry = entry < a.nnz;
      ownColumns[from * kCsr5Pitch + s] = isEntry ? static_cast<Column>(a.csrCol[entry]) : -1;
      ownItems[from * kCsr5Pitch + s] = a.entries.item(isEntry, entry);
    }
    __syncwarp();
    for (int s = 0; first + lane < a.lanes && s < count; ++s) {
      const long long slot = csr5Slot(first + lane, begin + s, a.omega, a.sigma);
      a.col[slot] = ownColumns[lane * kCsr5Pitch + s];
      a.entries.put(slot, ownItems[lane * kCsr5Pitch + s]);
    }
    __syncwarp();
  }
}

template <class Index, class Offset, class Flags> struct Csr5EmptyArgs {
  const Index *csrRowPtr;
  const Flags *bitFlag;
  const Int16 *laneOffset;
  const Offset *tilePtr;
  const Int64 *gapStart, *emptyCount; // prefix sums, exclusive
  Offset *emptyPtr, *emptyOffset, *emptyRow;
  long long rows, nnz, tiles;
  int omega, sigma;
};

// A row that ends just before an entry is number k of the rows that end in the entry's tile.
template <class Args>
__device__ __forceinline__ void csr5RowEnd(const Args &a, long long row, long long entry) {
  const long long lane = csr5Lane(entry, a.sigma), tile = lane / a.omega;
  const long long start = a.gapStart[tile];
  if (a.gapStart[tile + 1] == start)
    return;
  const unsigned before = (1U << csr5Bit(entry, a.sigma)) - 1U;
  const int k =
      a.laneOffset[lane] / a.omega + __popc(static_cast<unsigned>(a.bitFlag[lane]) & before);
  a.emptyOffset[start + k] = static_cast<decltype(*a.emptyOffset + 0)>(row - a.tilePtr[tile]);
}

// One thread per row and per tile.
template <class Index, class Offset, class Flags>
__device__ __forceinline__ void csr5Empty(const Csr5EmptyArgs<Index, Offset, Flags> &a) {
  SPECMV_SHARED_ARRAY(int, warpSums, 33);
  const long long own = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (own < a.tiles) {
    const long long start = a.gapStart[own];
    a.emptyPtr[own] = static_cast<Offset>(a.gapStart[own + 1] > start ? start : -1);
  }
  const bool isRow = own < a.rows;
  const long long begin = isRow ? a.csrRowPtr[own] : 0, end = isRow ? a.csrRowPtr[own + 1] : 0;
  const bool isEmpty = isRow && begin == end;
  int total;
  const int before = blockScan<kSetupBlock>(int(isEmpty), warpSums, total);
  if (isEmpty)
    a.emptyRow[a.emptyCount[blockIdx.x] + before] = static_cast<Offset>(own);
  else if (isRow && end < a.nnz)
    csr5RowEnd(a, own, end);
}

} // namespace specmv
