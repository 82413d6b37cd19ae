// Merge-path CSR for several vectors. A team (shared/several.cuh) takes the items that one thread
// takes for a single vector, one after another. It reads each entry once together with a whole row
// of X. It keeps its sums in registers, so rows that begin and end among its items go to Y without
// shared memory. A block has 32 teams. A warp, with a lane for each team, then adds up their open
// sums vector by vector, as in csr_merge.cuh.
#pragma once
#include "csr_merge.cuh"
#include "shared/several.cuh"

namespace specmv {

// The number of items whose entries and rows of X a thread loads together.
enum : int { kMergeBatch = 7 };

// A team's sums of the rows that do not both begin and end among its items.
template <class Sum> struct MergeOpen {
  Sum head = {}, tail = {}; // sums of the row that ends first and of the row after the last end
  bool hasHead = false;
};

// Processes `count` items; bit k of `ends` is set if item k is the end of a row. `entry` is the
// first entry, `last` the team's last entry, which must exist, and `row` the first row. Items that
// are ends load a nearby entry without using it, so that no load waits for a branch.
template <int count, bool readsY, class Args, class X, class Y, class Offset, class Sum>
__device__ __forceinline__ void mergeItems(const Args &a, const X &x, const Y &y, unsigned ends,
                                           Offset &entry, Offset last, Offset &row,
                                           MergeOpen<Sum> &open) {
  decltype(loadOnce(a.val)) val[count];
  decltype(loadOnce(a.col)) col[count];
  Sum rowsOfX[count];
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const Offset at = entry < last ? entry : last;
    col[k] = loadKept(a.col + at);
    val[k] = loadKept(a.val + at);
    entry += ends >> k & 1 ? 0 : 1;
  }
#pragma unroll
  for (int k = 0; k < count; ++k)
    rowsOfX[k] = loadReused(x + col[k]);
#pragma unroll
  for (int k = 0; k < count; ++k) {
    if (!(ends >> k & 1)) {
      open.tail = multiplyAdd(val[k], rowsOfX[k], open.tail);
    } else {
      if (!open.hasHead)
        open.head = open.tail;
      else if (row < a.rows)
        storeResult<readsY>(y + row, a.alpha, open.tail, a.beta);
      open.hasHead = true;
      open.tail = {};
      ++row;
    }
  }
}

// One of the vectors of Y.
template <class Value> struct VectorOfY {
  Value *y;
  Int64 stride; // from row to row
  template <class Row> __device__ Value *operator+(Row i) const { return y + i * stride; }
};
template <class Value, int count>
__device__ __forceinline__ VectorOfY<Value> vectorOf(const RowsOfY<Value, count> &y, int j) {
  return {y.y + j * (y.step == 0 ? 1 : y.step), y.stride};
}

// Processes items that are all ends of rows. All of these rows are empty except the first.
template <bool readsY, class Args, class Y, class Offset, class Sum>
__device__ __forceinline__ void mergeEnds(const Args &a, const Y &y, Offset row, Offset rowEnd,
                                          MergeOpen<Sum> &open) {
  open.hasHead = true;
  for (Offset empty = row + 1; empty < rowEnd && empty < a.rows; ++empty)
    storeResult<readsY>(y + empty, a.alpha, Sum{}, a.beta);
}

template <CsrMergePlan plan, class T, class Path>
__device__ __forceinline__ void csrMergeSeveral(const CsrMergeArgs<T, Path> &a) {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  using X = typename T::X;
  using Y = typename T::Y;
  constexpr int items = plan.itemsPerThread, teams = plan.blockThreads, team = teamThreads<X>();
  constexpr int each = Team<X>::kEach, vectors = Team<X>::kVectors;
  static_assert(teams == 32, "a lane for each team must add up what they leave");
  SPECMV_SHARED_ARRAY(Value, heads, vectors * (teams + 1));
  SPECMV_SHARED_ARRAY(Value, tails, vectors * (teams + 1));

  const int worker = threadIdx.x / team, first = threadIdx.x % team * each;
  const Path path = loadKept(a.path + (Int64(blockIdx.x) * teams + worker));
  const unsigned ends = unsigned(path) & ((1U << items) - 1);
  const Offset blockRow = loadReused(a.warpRow + blockIdx.x);
  const Offset row = blockRow + (path >> items), rowEnd = row + __popc(ends);
  const Offset entry = (Offset(blockIdx.x) * teams + worker) * items - row;
  const Offset last = entry + (items - __popc(ends)) - 1;
  const X x = ofThread(a.x);
  const Y y = ofThread(a.y);

  MergeOpen<SumOf<X>> open;
  if (last < entry) {
    mergeEnds<plan.readsY>(a, y, row, rowEnd, open);
  } else {
    Offset nextEntry = entry, nextRow = row;
    constexpr int batches = items / kMergeBatch, rest = items % kMergeBatch;
    // If unrolled, the loads of the next batch would be hoisted and their registers spilled.
#pragma unroll 1
    for (int b = 0; b < batches; ++b)
      mergeItems<kMergeBatch, plan.readsY>(a, x, y, ends >> b * kMergeBatch, nextEntry, last,
                                           nextRow, open);
    if constexpr (rest != 0)
      mergeItems<rest, plan.readsY>(a, x, y, ends >> batches * kMergeBatch, nextEntry, last,
                                    nextRow, open);
  }
#pragma unroll
  for (int j = 0; j < each; ++j) {
    heads[(first + j) * (teams + 1) + worker] = open.head.at[j];
    tails[(first + j) * (teams + 1) + worker] = open.tail.at[j];
  }
  __syncthreads();

  // From here on, lane l of a warp has the numbers of team l, and the warps share the vectors.
  const int lane = threadIdx.x % 32;
  const Path pathOfLane = loadKept(a.path + (Int64(blockIdx.x) * teams + lane));
  const Offset laneRow = blockRow + (pathOfLane >> items);
  const Offset laneEnd = laneRow + __popc(unsigned(pathOfLane) & ((1U << items) - 1));
  const OpenRow openRow = OpenRows<Value>{a.openFirst, a.openLast, nullptr, nullptr}.ofLane();
  const int count = a.y.step == 0 || a.y.count > vectors ? vectors : a.y.count;
  for (int j = threadIdx.x / 32; j < count; j += team) {
    const Int64 at = Int64(j) * gridDim.x;
    const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums + 2 * at, a.arrivals + at};
    mergeParts<plan.readsY, teams>(a, vectorOf(a.y, j), laneRow, laneEnd, rows, openRow,
                                   heads + j * (teams + 1), tails + j * (teams + 1));
  }
}

} // namespace specmv
