// QCSR (Zhang et al. 2013): the matrix is divided into tiles of at most d x d, the leaves of a
// quadtree that the host builds (Algorithm 1). A group of `lanes` lanes (16 is the paper's
// half-warp, section 5.1) multiplies one row segment of a tile at a time. A block owns a chunk,
// some rows of a row of tiles, so that it can add to sums in shared memory, which the paper does
// not say.
#pragma once
#include "shared/qcsr_tile.cuh"

namespace specmv {

struct QcsrPlan {
  int blockThreads;
  Int64 d;  // tile size
  int rows; // most rows of a chunk, the part of a row of tiles that one block owns; divides d
  int lanes;
  int align;       // a segment starts at a multiple of this in val and local (16 in section 5.2)
  bool fullLeaves; // some leaves are of type Full (Algorithm 1): stored dense, with a bit per place
  bool halved;     // tiles are halves of halves (Algorithm 1), not aligned squares of d x d
  bool stage;      // x is read from shared memory, not by the read-only path (texture, section 5.3)
  bool readsY;     // false: beta is 0 in every product
};

template <class T, class Local> struct QcsrArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  using Column = typename T::Column;
  const Offset *chunkTiles;   // chunks + 1: the tiles of a chunk, by ascending column
  const Column *tileColumn;   // the first column of a tile
  const Offset *tileSegments; // tiles + 1: the segments of a Sparse tile, by ascending row
  const Offset *tileFull;     // -1 for a Sparse tile, or the number of its piece of the Full leaves
  const Int16 *segmentRow;    // row - first row of the chunk
  const Offset *segmentStart; // first slot / align
  const Int32 *segmentLength; // entries, without the padding
  Streamed<Local> local;      // column - tileColumn
  typename T::Values val;     // slots of the segments, then pieces of rows x d
  const Int8 *fullBits;       // bit s % 8 of byte s / 8, s = slot - fullBegin: there is an entry
  Offset fullBegin;           // first slot of the Full leaves
  const Offset *chunkRow = nullptr; // if tiles are halves: chunks + 1, the first row of each
  // If x is staged:
  const Column *tileFirst = nullptr; // the first column of x that a chunk reads in a tile,
  const Column *tileEnd = nullptr;   // and the one after the last
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
};

// Adds the Sparse tile `tile` to the sums of the chunk's rows.
template <QcsrPlan plan, class Args, class Value>
__device__ __forceinline__ void qcsrSparse(const Args &a, decltype(a.rows) tile, const Value *x,
                                           Value *sums) {
  using Offset = decltype(a.rows);
  constexpr int groups = plan.blockThreads / plan.lanes;
  const int lane = threadIdx.x % plan.lanes;
  const Offset end = loadReused(a.tileSegments + tile + 1);
  Offset s = loadReused(a.tileSegments + tile) + threadIdx.x / plan.lanes;
  for (; s < end; s += groups) {
    const Offset begin = loadReused(a.segmentStart + s) * plan.align;
    const int length = loadReused(a.segmentLength + s);
    Value sum = 0;
#pragma unroll 2
    for (int k = lane; k < length; k += plan.lanes)
      sum = multiplyAdd(loadOnce(a.val + begin + k),
                        tileElement<plan.stage>(x + loadOnce(a.local + begin + k)), sum);
    sum = groupSum<plan.lanes>(sum);
    if (lane == 0)
      sums[a.segmentRow[s]] += sum;
  }
}

// Adds piece `piece` of the Full leaves. Reads x only for places with an entry.
template <QcsrPlan plan, class Args, class Value>
__device__ __forceinline__ void qcsrFull(const Args &a, decltype(a.rows) piece, const Value *x,
                                         Value *sums) {
  using Offset = decltype(a.rows);
  constexpr int groups = plan.blockThreads / plan.lanes;
  const int lane = threadIdx.x % plan.lanes;
  for (int row = threadIdx.x / plan.lanes; row < plan.rows; row += groups) {
    const Offset begin = (piece * plan.rows + row) * Offset(plan.d);
    Value sum = 0;
#pragma unroll 4
    for (int k = lane; k < plan.d; k += plan.lanes) {
      const bool present = loadReused(a.fullBits + (begin + k) / 8) >> ((begin + k) % 8) & 1;
      sum = multiplyAdd(loadOnce(a.val + a.fullBegin + begin + k),
                        tileElementIf<plan.stage>(present, x + k), sum);
    }
    sum = groupSum<plan.lanes>(sum);
    if (lane == 0)
      sums[row] += sum;
  }
}

// Stores the results of the chunk's rows.
template <QcsrPlan plan, class Args, class Value>
__device__ __forceinline__ void qcsrStore(const Args &a, const Value *sums) {
  using Offset = decltype(a.rows);
  Offset first = Offset(blockIdx.x) * plan.rows, end = a.rows;
  if constexpr (plan.halved) {
    first = loadReused(a.chunkRow + blockIdx.x);
    end = loadReused(a.chunkRow + blockIdx.x + 1);
  }
  for (int r = threadIdx.x; r < plan.rows && r < end - first; r += plan.blockThreads)
    storeResult<plan.readsY>(a.y + (first + r), a.alpha, sums[r], a.beta);
}

template <QcsrPlan plan, class T, class Local>
__device__ __forceinline__ void qcsr(const QcsrArgs<T, Local> &a) {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  using Column = typename T::Column;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.d >= 8 && (plan.d & (plan.d - 1)) == 0 && plan.d % plan.rows == 0);
  static_assert(plan.rows <= 65536 && plan.align >= 1);
  SPECMV_SHARED_ARRAY(Value, sums, plan.rows);
  SPECMV_SHARED_ARRAY(Value, staged, plan.stage ? plan.d : 1);
  for (int r = threadIdx.x; r < plan.rows; r += plan.blockThreads)
    sums[r] = 0;
  __syncthreads();

  const Offset tileEnd = loadReused(a.chunkTiles + blockIdx.x + 1);
  for (Offset tile = loadReused(a.chunkTiles + blockIdx.x); tile < tileEnd; ++tile) {
    const Value *x = staged;
    const Column column = loadReused(a.tileColumn + tile);
    if constexpr (plan.stage) {
      const Column first = loadReused(a.tileFirst + tile);
      stageTile<plan.blockThreads>(a.x, first, loadReused(a.tileEnd + tile),
                                   staged + (first - column));
      waitForCopies();
      __syncthreads();
    } else {
      x = a.x + column;
    }
    if constexpr (plan.fullLeaves) {
      const Offset piece = loadReused(a.tileFull + tile);
      if (piece < 0)
        qcsrSparse<plan>(a, tile, x, sums);
      else
        qcsrFull<plan>(a, piece, x, sums);
    } else {
      qcsrSparse<plan>(a, tile, x, sums);
    }
    // Groups add to other rows in the next tile, and it may overwrite x.
    __syncthreads();
  }

  qcsrStore<plan>(a, sums);
}

} // namespace specmv
