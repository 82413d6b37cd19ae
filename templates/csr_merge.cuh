// Merge-path CSR (Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication",
// 2016). Entries and ends of rows form one list of items. Every thread takes the same number of
// items, however long or short the rows are. Packing determines where rows end among the items of a
// thread and stores this as bits, so that the kernel needs no search and no rowPtr.
//
// Example: 4 items per thread, rows of 2, 3, 0, 4 and 6 entries, a warp of 4 threads instead of 32.
// p0, p1, ... are the products of the entries, | is the end of a row.
//             items           path: bits, rows before   rows that end          left open
//   thread 0  p0 p1 |  p2     0100, 0                   sums[0] = p0 + p1      p2
//   thread 1  p3 p4 |  |      1100, 1                   sums[1] = p3 + p4,     0
//                                                       sums[2] = 0
//   thread 2  p5 p6 p7 p8     0000, 3                   none                   p5 + ... + p8
//   thread 3  |  p9 p10 p11   0001, 3                   sums[3] = 0            p9 + p10 + p11
// A scan over the threads adds the open sums to the row that ends next: sums[1] becomes p2 + p3 +
// p4, sums[3] becomes p5 + ... + p8. The warp stores sums[1] and later ones. It passes sums[0] to
// the block, since earlier warps may have a part of that row, and also the open sum of its last
// thread. The block adds these up, warp by warp, and publishes its partial sums of the two rows
// that may continue in other blocks: the one open at its beginning and the one open at its end.
#pragma once
#include "shared/operands.cuh"
#include "shared/parts.cuh"

namespace specmv {

struct CsrMergePlan {
  int blockThreads;
  int itemsPerThread; // odd numbers are best: lanes then use different banks of shared memory
  bool readsY;        // false: beta is 0 in every product
};

template <class T, class Path> struct CsrMergeArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  // By thread: bit k is set if item k is the end of a row rather than an entry. Above these bits is
  // the number of rows that end in the warp before the items of this thread. Items after the last
  // row are ends of rows that do not exist.
  Streamed<Path> path;
  const Offset *warpRow; // by warp, and one more: the row of its first item
  typename T::Columns col;
  typename T::Values val;
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
  // Fields of OpenRows.
  const unsigned *openFirst, *openLast;
  WordOf<Value> *partialSums;
  unsigned *arrivals;
};

// The products of the `count` entries of a warp from `begin` on: products[k] of lane l is that of
// entry 32 k + l.
template <int items, class Args, class Offset, class Value>
__device__ __forceinline__ void mergeProducts(const Args &a, Offset begin, int count,
                                              Value (&products)[items]) {
  const int lane = threadIdx.x % 32, left = count - lane;
  using Column = decltype(loadOnce(a.col));
  using Stored = decltype(loadOnce(a.val));
  const auto col = a.col + (begin + lane);
  const auto val = a.val + (begin + lane);
  Column columns[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    columns[k] = loadOnceIf(32 * k < left, col + 32 * k, Column(0));
    products[k] = loadOnceIf(32 * k < left, val + 32 * k, Stored(0));
  }
#pragma unroll
  for (int k = 0; k < items; ++k)
    products[k] *= loadReusedIf(32 * k < left, a.x + columns[k]);
}

// Sums the rows that end in a warp; sums[0] lacks the part that earlier warps have. Returns the
// warp's sum of the row that continues after it. One number after the products must be readable.
template <int items, class Path, class Value>
__device__ __forceinline__ Value mergeRows(Path path, const Value *products, Value *sums) {
  const int lane = threadIdx.x % 32;
  const int firstRow = path >> items;
  products += lane * items - firstRow;
  sums += firstRow;
  // All loads come before the first store, because a load after a store to shared memory must wait
  // for it. An item that is the end of a row loads the next product without using it, which costs
  // less than a branch.
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

template <CsrMergePlan plan, class T, class Path>
__device__ __forceinline__ void csrMerge(const CsrMergeArgs<T, Path> &a) {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
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
  prefetchRows(a.y, row, rowEnd < a.rows ? rowEnd : a.rows);
  Value products[items], tail = 0;
  mergeProducts(a, own * share - row, count, products);
  // A warp's slots hold the products, one number that is read but not used, and the sums of the
  // rows.
  Value *const warpSlots = slots + warp * (share + 1), *const sums = warpSlots + count + 1;
  // Tests `path` although `ended` would suffice: the compiler then loads the path early.
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
    // Store the rows that exist, except sums[0]: earlier warps may have a part of that row.
    const int existing = a.rows - row < ended ? int(a.rows - row) : ended;
#pragma unroll 1
    for (int j = 1 + lane; j < existing; j += 32)
      storeResult<plan.readsY>(a.y + (row + j), a.alpha, sums[j], a.beta);
  }
  if (lane == 0) {
    heads[warp] = ended > 0 ? sums[0] : Value(0);
    tails[warp] = tail;
  }

  const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums, a.arrivals};
  OpenRow open{};
  Offset laneRow = 0, laneEnd = 0;
  if (warp == 0) { // this warp waits for the others anyway
    open = rows.ofLane();
    laneRow = loadReused(a.warpRow + firstWarp + (lane < warps ? lane : warps));
    laneEnd = loadReused(a.warpRow + firstWarp + (lane < warps ? lane + 1 : warps));
  }
  __syncthreads();
  if (warp == 0)
    mergeParts<plan.readsY, warps>(a, a.y, laneRow, laneEnd, rows, open, heads, tails);
}

} // namespace specmv
