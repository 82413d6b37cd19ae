// Merge-path CSR (Merrill and Garland 2016): entries and ends of rows in one list of items, of
// which every thread takes the same number, however long or short the rows are. Where rows end in a
// thread's items is known when the matrix is packed, and stored as bits: no search, no rowPtr.
#pragma once
#include "shared/open_rows.cuh"
#include "shared/runs.cuh"

namespace specmv {

struct CsrMergePlan {
  int blockThreads;
  int itemsPerThread; // best odd: then no two lanes of a warp read one bank of shared memory
  bool readsY;        // false: beta is 0 in every product
};

template <class Value, class Offset, class Column, class Path> struct CsrMergeArgs {
  // By thread: bit k tells that item k is the end of a row and no entry; above the bits, how many
  // rows end in the thread's warp before its items. Behind the last row, items are ends of rows.
  const Path *path;
  const Offset *warpRow; // by warp, and one more: the row that its first item belongs to
  const Column *col;
  const Value *val;
  const Value *x;
  Value *y;
  Value alpha, beta;
  Offset rows;
  // Fields of OpenRows.
  const unsigned *openFirst, *openLast;
  WordOf<Value> *partialSums;
  unsigned *arrivals;
};

// The products of a warp's entries, `count` from `begin` on: lane l has those of entry 32 k + l.
template <int items, class Value, class Offset, class Column, class Path>
__device__ __forceinline__ void mergeProducts(const CsrMergeArgs<Value, Offset, Column, Path> &a,
                                              Offset begin, int count, Value (&products)[items]) {
  const int lane = threadIdx.x % 32, left = count - lane;
  const Column *const col = a.col + (begin + lane);
  const Value *const val = a.val + (begin + lane);
  Column columns[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    columns[k] = loadOnceIf(32 * k < left, col + 32 * k, Column(0));
    products[k] = loadOnceIf(32 * k < left, val + 32 * k, Value(0));
  }
#pragma unroll
  for (int k = 0; k < items; ++k)
    products[k] *= loadReusedIf(32 * k < left, a.x + columns[k]);
}

// Sums the rows that end in a warp, sums[0] without what earlier warps have of it; returns what the
// warp has of the row that it leaves open. Behind the products there is one more number.
template <int items, class Path, class Value>
__device__ __forceinline__ Value mergeRows(Path path, const Value *products, Value *sums) {
  const int lane = threadIdx.x % 32;
  const int firstRow = path >> items;
  products += lane * items - firstRow;
  sums += firstRow;
  // All loads before the first store, which they would have to wait for. At the end of a row, the
  // next product, and without use: a select costs less than a branch.
  Value own[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    own[k] = products[k];
    if (path >> k & 1)
      --products;
  }
  Value sum = 0;
  Value *next = sums;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (path >> k & 1) {
      *next++ = sum;
      sum = 0;
    } else {
      sum += own[k];
    }
  }
  const int ended = __popc(path & ((1 << items) - 1));
  const Value upTo = runScan(firstRow + ended, sum);
  const Value below = __shfl_up_sync(kFullMask, upTo, 1);
  if (lane > 0 && ended > 0)
    *sums += below;
  return __shfl_sync(kFullMask, upTo, 31);
}

// Puts the open sums of the warps together: heads, of the first row that each warp ends, and tails,
// of the row that it leaves open. Called by the first warp; a lane stands for a warp.
template <const CsrMergePlan &plan, class Args, class Offset, class Value>
__device__ __forceinline__ void mergeWarps(const Args &a, Offset row, Offset rowEnd,
                                           const OpenRows<Value> &rows, OpenRow open,
                                           const Value *heads, const Value *tails) {
  constexpr int warps = plan.blockThreads / 32;
  const int lane = threadIdx.x % 32;
  const Value upTo = runScan(rowEnd, lane < warps ? tails[lane] : Value(0));
  const Value below = __shfl_up_sync(kFullMask, upTo, 1);
  Value sum = lane < warps ? heads[lane] : Value(0);
  if (lane > 0)
    sum += below;

  const unsigned ends = __ballot_sync(kFullMask, row < rowEnd);
  const int first = ends == 0 ? 0 : __ffs(int(ends)) - 1;
  const bool isOpen = __shfl_sync(kFullMask, int(open.isOpen()), 0) && lane == first;
  if (row < rowEnd && row < a.rows && !isOpen)
    storeResult<plan.readsY>(a.y + row, a.alpha, sum, a.beta);

  // Lane 0 takes the row that is open at the begin, lane 1 the one at the end.
  const Value head = __shfl_sync(kFullMask, sum, first);
  const Value tail = __shfl_sync(kFullMask, upTo, warps - 1);
  const Offset lastRow = __shfl_sync(kFullMask, rowEnd, warps - 1);
  Value share = lane == 0 ? head : tail;
  if (bringShare(rows, open, share))
    storeResult<plan.readsY>(a.y + (lane == 0 ? row : lastRow), a.alpha, share, a.beta);
}

template <const CsrMergePlan &plan, class Value, class Offset, class Column, class Path>
__device__ __forceinline__ void csrMerge(const CsrMergeArgs<Value, Offset, Column, Path> &a) {
  constexpr int items = plan.itemsPerThread, warps = plan.blockThreads / 32, share = 32 * items;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(items >= 1 &&
                (Int64(31 * items + 1) << items) - 1 <= (sizeof(Path) == 2 ? 0xffff : 0x7fffffff));
  SPECMV_SHARED_ARRAY(Value, slots, warps * (share + 1));
  SPECMV_SHARED_ARRAY(Value, heads, warps);
  SPECMV_SHARED_ARRAY(Value, tails, warps);

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Offset firstWarp = Offset(blockIdx.x) * warps, own = firstWarp + warp;
  const Path path = loadOnce(a.path + (own * 32 + lane));
  const Offset row = loadReused(a.warpRow + own), rowEnd = loadReused(a.warpRow + own + 1);
  const int ended = int(rowEnd - row), count = share - ended;
  Value products[items], tail = 0;
  mergeProducts(a, own * share - row, count, products);
  // Products, a number that nobody uses, and the sums of the rows.
  Value *const warpSlots = slots + warp * (share + 1), *const sums = warpSlots + count + 1;
  // Asks the path and not `ended`, so that its load is not put off until it is needed.
  if (__ballot_sync(kFullMask, path & ((1 << items) - 1)) == 0) {
#pragma unroll
    for (int k = 0; k < items; ++k)
      tail += products[k];
    tail = groupSum<32>(tail);
  } else {
#pragma unroll
    for (int k = 0; k < items; ++k)
      if (32 * k + lane < count)
        warpSlots[32 * k + lane] = products[k];
    if (lane == 0)
      warpSlots[count] = 0;
    __syncwarp();
    tail = mergeRows<items>(path, warpSlots, sums);
    __syncwarp();
    // Not sums[0], which earlier warps may have a part of.
    const int real = a.rows - row < ended ? int(a.rows - row) : ended;
#pragma unroll 1
    for (int j = 1 + lane; j < real; j += 32)
      storeResult<plan.readsY>(a.y + (row + j), a.alpha, sums[j], a.beta);
  }
  if (lane == 0) {
    heads[warp] = ended > 0 ? sums[0] : Value(0);
    tails[warp] = tail;
  }

  const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums, a.arrivals};
  OpenRow open{};
  Offset laneRow = 0, laneEnd = 0;
  if (warp == 0) { // before the barrier, where others are waited for anyway
    open = rows.ofLane();
    laneRow = loadReused(a.warpRow + firstWarp + (lane < warps ? lane : warps));
    laneEnd = loadReused(a.warpRow + firstWarp + (lane < warps ? lane + 1 : warps));
  }
  __syncthreads();
  if (warp == 0)
    mergeWarps<plan>(a, laneRow, laneEnd, rows, open, heads, tails);
}

} // namespace specmv
