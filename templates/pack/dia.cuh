// Packs a matrix for DIA (templates/dia.cuh): values diagonal by diagonal, and the holes. A warp
// takes 32 rows, which share words of holes, and a few diagonals at a time, whose values it puts in
// order in shared memory.
#pragma once
#include "pack/dia_found.cuh"
#include "pack/slots.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index, class Value> struct DiaFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  const Value *csrVal;
  const Int64 *diaOffsets;
  Int64 *diaFound; // of kDiaFound numbers
  Value *val;
  unsigned *holeWords; // for each 32 rows and diagonal: the places that have no entry
  long long rows, cols, stride;
  int diagonals;
};

// The diagonals of a tile, as many as lanes that read the entries of a row.
constexpr int kDiaTile = 8;
constexpr int kDiaWarps = kSetupBlock / 32;
// Of a tile's rows of 32 values, so that the lanes that write one column differ in their banks.
template <class Value> constexpr int kDiaTileStride = 32 + 16 / int(sizeof(Value));

// What a warp has in shared memory.
template <class Value> struct DiaTile {
  const Int64 *offsets;
  Value *values;
  unsigned *words; // for each diagonal: the rows that have an entry
};

// What a thread has found so far, as kDiaStray .. say.
struct DiaFound {
  long long stray = kDiaNoStray, holes = 0;
  bool left = false;
};

// The diagonal of each lane's offset, which is `guess` if the row has an entry on every diagonal;
// -1 if there is none. All lanes must call this.
__device__ __forceinline__ int diaFind(const Int64 *offsets, int diagonals, long long offset,
                                       int guess) {
  bool isFound = guess < diagonals && offsets[guess] == offset;
  if (!__ballot_sync(kFullMask, !isFound))
    return guess;
  int below = 0; // diagonals with a smaller offset
#pragma unroll 1
  for (int step = kMaxDiagonals; step > 0; step /= 2)
    if (below + step <= diagonals && offsets[below + step - 1] < offset)
      below += step;
  isFound = below < diagonals && offsets[below] == offset;
  return isFound ? below : -1;
}

// Puts the next kDiaTile entries of each of the 32 rows from `first` on into the tile of the
// diagonals from `begin` on, as far as they are on these. Lane i knows the next entry and the end
// of row i. Returns in lane i how many entries come before the first that is on another diagonal.
template <class Args, class Index, class Value>
__device__ __forceinline__ int diaStage(const Args &a, const DiaTile<Value> &tile, long long first,
                                        int begin, Index next, Index end, int guess,
                                        DiaFound &found) {
  constexpr int perStep = 32 / kDiaTile;
  const int lane = static_cast<int>(threadIdx.x) % 32, part = lane % kDiaTile;
  Index col[kDiaTile];
  Value val[kDiaTile];
  unsigned has = 0;
#pragma unroll
  for (int i = 0; i < kDiaTile; ++i) {
    const int row = i * perStep + lane / kDiaTile;
    const Index entry = __shfl_sync(kFullMask, next, row) + part;
    const bool isEntry = entry < __shfl_sync(kFullMask, end, row);
    has |= unsigned(isEntry) << i;
    col[i] = isEntry ? a.csrCol[entry] : Index(0);
    val[i] = isEntry ? a.csrVal[entry] : Value(0);
  }
  int taken = 0;
#pragma unroll
  for (int i = 0; i < kDiaTile; ++i) {
    const int row = i * perStep + lane / kDiaTile;
    const bool isEntry = has >> i & 1;
    const long long offset = isEntry ? col[i] - (first + row) : tile.offsets[0];
    const int diagonal = diaFind(tile.offsets, a.diagonals, offset, isEntry ? guess + part : 0);
    const bool fits = isEntry && diagonal >= begin && diagonal < begin + kDiaTile;
    if (diagonal < 0)
      found.stray = min(found.stray, offset);
    const unsigned known = fits ? atomicOr(tile.words + (diagonal - begin), 1U << row) : 0;
    if (fits && (known >> row & 1))
      found.left = true;
    else if (fits)
      tile.values[(diagonal - begin) * kDiaTileStride<Value> + row] = val[i];
    const unsigned fitting = __ballot_sync(kFullMask, fits) >> lane % perStep * kDiaTile;
    if (lane / perStep == i)
      taken = __ffs(static_cast<int>(~fitting | 1U << kDiaTile)) - 1;
  }
  return taken;
}

// Writes a tile: values, or 0 where there is no entry, and the words of holes.
template <class Args, class Value>
__device__ __forceinline__ void diaStore(const Args &a, const DiaTile<Value> &tile, long long first,
                                         int begin, DiaFound &found) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int count = min(a.diagonals - begin, kDiaTile);
  for (int d = 0; d < count; ++d) {
    const bool has = tile.words[d] >> lane & 1;
    a.val[diaSlot(first + lane, begin + d, a.stride)] =
        has ? tile.values[d * kDiaTileStride<Value> + lane] : Value(0);
  }
  if (lane < count) {
    const unsigned inside = diaInside(first, tile.offsets[begin + lane], a.rows, a.cols);
    const unsigned holes = ~tile.words[lane] & inside;
    a.holeWords[first / kHoleRows * a.diagonals + begin + lane] = holes;
    found.holes += __popc(holes);
  }
}

// Packs the 32 rows from `first` on. If the entries of every row ascend, a tile takes the next ones
// of each; otherwise each tile looks at all of them. Returns whether every entry has been taken.
template <class Index, class Value>
__device__ __forceinline__ bool diaRows(const DiaFillArgs<Index, Value> &a,
                                        const DiaTile<Value> &tile, long long first, bool ascending,
                                        DiaFound &found) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool isRow = first + lane < a.rows;
  const Index begin = isRow ? a.csrRowPtr[first + lane] : Index(0);
  const Index end = isRow ? a.csrRowPtr[first + lane + 1] : Index(0);
  // A row with more entries than diagonals repeats some, or has strays.
  if (__ballot_sync(kFullMask, end - begin > a.diagonals)) {
    found.left = true;
    return true;
  }
  Index next = begin;
#pragma unroll 1
  for (int diagonal = 0; diagonal < a.diagonals; diagonal += kDiaTile) {
    if (lane < kDiaTile)
      tile.words[lane] = 0;
    __syncwarp();
    Index at = ascending ? next : begin;
    int guess = ascending ? diagonal : 0;
    do {
      next += diaStage(a, tile, first, diagonal, at, end, guess, found);
      at += kDiaTile;
      guess += kDiaTile;
    } while (!ascending && __ballot_sync(kFullMask, at < end));
    __syncwarp();
    diaStore(a, tile, first, diagonal, found);
    __syncwarp();
  }
  return !__ballot_sync(kFullMask, next < end);
}

// Adds up what the threads of a block have found.
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

// A warp takes each n-th 32 rows.
template <class Index, class Value>
__device__ __forceinline__ void diaFill(const DiaFillArgs<Index, Value> &a) {
  static_assert(kHoleRows == 32);
  SPECMV_SHARED_ARRAY(Int64, offsets, kMaxDiagonals);
  SPECMV_SHARED_ARRAY(Value, values, kDiaWarps * kDiaTile * kDiaTileStride<Value>);
  SPECMV_SHARED_ARRAY(unsigned, words, kDiaWarps *kDiaTile);
  for (int d = static_cast<int>(threadIdx.x); d < a.diagonals; d += kSetupBlock)
    offsets[d] = a.diaOffsets[d];
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const DiaTile<Value> tile{offsets, values + warp * kDiaTile * kDiaTileStride<Value>,
                            words + warp * kDiaTile};
  DiaFound found;
  const long long step = static_cast<long long>(gridDim.x) * (kDiaWarps * kHoleRows);
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
