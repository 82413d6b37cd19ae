// Packs a matrix for DIA (templates/dia.cuh): values diagonal by diagonal, and the holes. A warp
// takes 32 rows, which share words of holes, and a few diagonals at a time. It loads the entries in
// their order; then each lane compares those of one row.
#pragma once
#include "pack/dia_found.cuh"
#include "pack/entries.cuh"

namespace specmv {

template <class Index, class Value> struct DiaFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  Int64 *diaFound;     // kDiaFound numbers, followed by the offsets of the diagonals
  unsigned *holeWords; // for each 32 rows and diagonal: the places without an entry
  long long rows, cols, stride;
  int diagonals;
};

// The number of diagonals of a tile, which is also the number of lanes that load the entries of a
// row.
enum : int {
  kDiaTile = 8,
  kDiaWarps = kSetupBlock / 32,
  // The distance between the rows of a tile. It is odd, so that lanes that each read one row use
  // different banks.
  kDiaTileStride = kDiaTile + 1,
  kDiaTileSize = 32 * kDiaTileStride,
};

// A warp's shared memory: up to kDiaTile entries of each row.
template <class Index, class Value> struct DiaTile {
  const Int64 *offsets;
  Index *cols;
  WordOf<Value> *items;
};

// The results of a thread so far, with the meaning of kDiaStray, kDiaHoles and kDiaLeft.
struct DiaFound {
  long long stray = kDiaNoStray, holes = 0;
  bool left = false;
};

// Returns the diagonal of an offset; -1 if there is none.
__device__ __forceinline__ int diaFind(const Int64 *offsets, int diagonals, long long offset) {
  int below = 0; // number of diagonals with a smaller offset
#pragma unroll 1
  for (int step = kMaxDiagonals; step > 0; step /= 2)
    if (below + step <= diagonals && offsets[below + step - 1] < offset)
      below += step;
  return below < diagonals && offsets[below] == offset ? below : -1;
}

// Loads the next kDiaTile entries of each of 32 rows; lane i holds `next` and `end` of row i.
template <class Index, class Value>
__device__ __forceinline__ void diaStage(const DiaFillArgs<Index, Value> &a,
                                         const DiaTile<Index, Value> &tile, Index next, Index end) {
  constexpr int perStep = 32 / kDiaTile;
  const int lane = static_cast<int>(threadIdx.x) % 32, part = lane % kDiaTile;
  Index col[kDiaTile];
  WordOf<Value> item[kDiaTile];
#pragma unroll
  for (int i = 0; i < kDiaTile; ++i) {
    const int row = i * perStep + lane / kDiaTile;
    const Index entry = __shfl_sync(kFullMask, next, row) + part;
    const bool isEntry = entry < __shfl_sync(kFullMask, end, row);
    col[i] = isEntry ? a.csrCol[entry] : Index(0);
    item[i] = a.entries.item(isEntry, entry);
  }
#pragma unroll
  for (int i = 0; i < kDiaTile; ++i) {
    const int at = (i * perStep + lane / kDiaTile) * kDiaTileStride + part;
    tile.cols[at] = col[i];
    tile.items[at] = item[i];
  }
}

// Returns a bit for each of the `count` diagonals from `offsets` on that has one of the next
// entries of the lane's row. If the row's entries ascend, these are all of its entries there. The
// tile has `staged` of the entries.
template <class Index, class Value>
__device__ __forceinline__ unsigned diaMatch(const DiaTile<Index, Value> &tile,
                                             const Int64 *offsets, int count, long long row,
                                             int staged) {
  const Index *next = tile.cols + threadIdx.x % 32 * kDiaTileStride;
  unsigned mask = 0;
  int taken = 0;
#pragma unroll
  for (int d = 0; d < kDiaTile; ++d)
    if (d < count && taken < staged && next[taken] - row == offsets[d])
      mask |= 1U << d, ++taken;
  return mask;
}

// Does the same for a row whose entries may come in any order: goes through all of them, and puts
// the items into the tile.
template <class Index, class Value>
__device__ __forceinline__ unsigned
diaSearch(const DiaFillArgs<Index, Value> &a, const DiaTile<Index, Value> &tile, int begin,
          long long row, Index entry, Index end, DiaFound &found) {
  unsigned mask = 0;
#pragma unroll 1
  for (; entry < end; ++entry) {
    const long long offset = a.csrCol[entry] - row;
    const int diagonal = diaFind(tile.offsets, a.diagonals, offset), at = diagonal - begin;
    if (diagonal < 0)
      found.stray = min(found.stray, offset);
    if (at < 0 || at >= kDiaTile)
      continue;
    found.left = found.left || (mask >> at & 1);
    tile.items[threadIdx.x % 32 * kDiaTileStride + at] = a.entries.item(true, entry);
    mask |= 1U << at;
  }
  return mask;
}

// Writes a tile: entries, or zeros where the mask has none, and the words of holes. The entries of
// a row are contiguous in the tile if `isDense`; otherwise each is in the place of its diagonal.
template <class Index, class Value>
__device__ __forceinline__ void diaStore(const DiaFillArgs<Index, Value> &a,
                                         const DiaTile<Index, Value> &tile, long long first,
                                         int begin, unsigned mask, bool isDense, DiaFound &found) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int count = min(a.diagonals - begin, kDiaTile);
  unsigned entries = 0; // for the lane's diagonal: the rows that have an entry
#pragma unroll
  for (int d = 0; d < kDiaTile; ++d)
    if (d < count) {
      const bool has = mask >> d & 1;
      const int at = lane * kDiaTileStride + (isDense ? __popc(mask & ((1U << d) - 1)) : d);
      a.entries.put(diaSlot(first + lane, begin + d, a.stride),
                    has ? tile.items[at] : WordOf<Value>(0));
      const unsigned word = __ballot_sync(kFullMask, has);
      entries = lane == d ? word : entries;
    }
  if (lane < count) {
    const unsigned inside = diaInside(first, tile.offsets[begin + lane], a.rows, a.cols);
    a.holeWords[first / kHoleRows * a.diagonals + begin + lane] = ~entries & inside;
    found.holes += __popc(~entries & inside);
  }
}

// Packs the 32 rows from `first` on. If the entries of every row ascend, a tile takes the next ones
// of each row; otherwise each tile goes through all of them. Returns true if every entry was taken.
template <class Index, class Value>
__device__ __forceinline__ bool diaRows(const DiaFillArgs<Index, Value> &a,
                                        const DiaTile<Index, Value> &tile, long long first,
                                        bool ascending, DiaFound &found) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long row = first + lane;
  Index next = row < a.rows ? a.csrRowPtr[row] : Index(0);
  const Index end = row < a.rows ? a.csrRowPtr[row + 1] : Index(0);
  // A row with more entries than diagonals either repeats entries or has strays.
  if (__ballot_sync(kFullMask, end - next > a.diagonals)) {
    found.left = true;
    for (int d = lane; d < a.diagonals; d += 32)
      a.holeWords[first / kHoleRows * a.diagonals + d] = 0;
    return true;
  }
#pragma unroll 1
  for (int begin = 0; begin < a.diagonals; begin += kDiaTile) {
    unsigned mask;
    if (ascending) {
      diaStage(a, tile, next, end);
      __syncwarp();
      mask = diaMatch(tile, tile.offsets + begin, min(a.diagonals - begin, kDiaTile), row,
                      static_cast<int>(min(end - next, Index(kDiaTile))));
      next += __popc(mask);
    } else {
      mask = diaSearch(a, tile, begin, row, next, end, found);
    }
    diaStore(a, tile, first, begin, mask, ascending, found);
    __syncwarp();
  }
  return !ascending || !__ballot_sync(kFullMask, next < end);
}

// Adds up the results of the threads of a block.
__device__ __forceinline__ void diaReport(const DiaFound &found, Int64 *to) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  long long holes;
  blockScan<kSetupBlock>(found.holes, warpSums, holes);
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(to + kDiaHoles),
              static_cast<unsigned long long>(holes));
  const bool left = __ballot_sync(kFullMask, found.left) != 0;
  long long stray = found.stray;
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    stray = min(stray, __shfl_xor_sync(kFullMask, stray, step));
  // Both are rare.
  if (threadIdx.x % 32 == 0 && left)
    atomicMax(to + kDiaLeft, 1LL);
  if (threadIdx.x % 32 == 0 && stray != kDiaNoStray)
    atomicMin(to + kDiaStray, stray);
}

// The warps share the groups of 32 rows: each takes every n-th one.
template <class Index, class Value>
__device__ __forceinline__ void diaFill(const DiaFillArgs<Index, Value> &a) {
  static_assert(kHoleRows == 32);
  SPECMV_SHARED_ARRAY(Int64, offsets, kMaxDiagonals);
  SPECMV_SHARED_ARRAY(Index, cols, kDiaWarps * kDiaTileSize);
  SPECMV_SHARED_ARRAY(WordOf<Value>, items, kDiaWarps * kDiaTileSize);
  for (int d = static_cast<int>(threadIdx.x); d < a.diagonals; d += kSetupBlock)
    offsets[d] = a.diaFound[kDiaFound + d];
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const DiaTile<Index, Value> tile{offsets, cols + warp * kDiaTileSize,
                                   items + warp * kDiaTileSize};
  DiaFound found;
  const long long step = static_cast<long long>(gridDim.x) * (kDiaWarps * int{kHoleRows});
  for (long long first = (static_cast<long long>(blockIdx.x) * kDiaWarps + warp) * kHoleRows;
       first < a.rows; first += step) {
    const long long holes = found.holes;
    bool isDone = false;
#pragma unroll 1
    for (int trial = 0; trial < 2 && !isDone; ++trial) {
      found.holes = holes; // a second trial counts them again
      isDone = diaRows(a, tile, first, trial == 0, found);
    }
  }
  diaReport(found, a.diaFound);
}

} // namespace specmv
