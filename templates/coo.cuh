// COO: the entries are sorted by row. Each block takes the same number of entries and sums its runs
// of equal rows (the segmented reduction of Bell and Garland 2009; Li, Yang and Li 2015, section
// 4.3.1), which are added to y: the kernel in front has stored beta y there.
// The last of the blocks in which a row lies completes it (shared/open_rows.cuh).
#pragma once
#include "shared/open_rows.cuh"
#include "shared/operands.cuh"
#include "shared/runs.cuh"

namespace specmv {

struct CooPlan {
  int blockThreads;
  int itemsPerThread; // entries of a thread, a multiple of kStripes; a warp has 32 times as many
  // An atomic addition for each entry, in an order that differs from run to run (AlAhmadi et al.
  // 2020, 8.1, on the HYB of their comparisons).
  bool isAtomic = false;
};

// The number of entries of a lane whose row, column, value and x are loaded together.
enum : int { kStripes = 4 };

// The operands are no T, so that the emitted file keeps their template: without it, NVRTC 13.0
// makes 8 to 16 instructions more of the 1,900.

template <class Product> struct CooArgs {
  using Value = typename Product::Value;
  using Offset = typename Product::Offset;
  Streamed<Offset> row; // ascending
  typename Product::Columns col;
  typename Product::Values val; // entry i has slot valBegin + i
  const Value *x;
  Value *y; // the sums are added to the values in it
  Value alpha;
  Offset valBegin;
  Offset count; // at least 1
  // Fields of OpenRows.
  const unsigned *openFirst, *openLast;
  WordOf<Value> *partialSums;
  unsigned *arrivals;
};

// Presents the entries of the matrix as pairs of row and product.
template <class Value, class Offset, class Args> struct CooPairs {
  const Args &a;
  __device__ Offset row(Offset i) const { return loadOnce(a.row + i); }
  __device__ Value product(Offset i) const {
    return loadOnce(a.val + a.valBegin + i) * loadReused(a.x + loadOnce(a.col + i));
  }
};

// Neighbouring threads take neighbouring entries, each of which is added to y by itself.
template <int threads, class Value, class Offset, class Args>
__device__ __forceinline__ void addEachEntry(const Args &a, Offset begin, Offset end) {
  const CooPairs<Value, Offset, Args> pairs{a};
  for (Offset i = threadIdx.x; i < end - begin; i += threads) // the sum could be beyond 32 bits
    atomicAdd(a.y + pairs.row(begin + i), a.alpha * pairs.product(begin + i));
}

template <CooPlan plan, class Product>
__device__ __forceinline__ void coo(const CooArgs<Product> &a) {
  using Value = typename Product::Value;
  using Offset = typename Product::Offset;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 512);
  static_assert(plan.itemsPerThread % kStripes == 0);
  constexpr int threads = plan.blockThreads, warps = threads / 32;
  constexpr int share = 32 * plan.itemsPerThread;
  const Offset begin = Offset(blockIdx.x) * warps * share;
  const Offset end = a.count - begin < warps * share ? a.count : begin + warps * share;
  if constexpr (plan.isAtomic)
    return addEachEntry<threads, Value, Offset>(a, begin, end);
  SPECMV_SHARED_ARRAY(Offset, endRow, 2);
  SPECMV_SHARED_ARRAY(Value, endSum, 2);

  const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums, a.arrivals};
  const OpenRow open = rows.ofLane();
  const unsigned opens = __ballot_sync(kFullMask, open.isOpen());
  RunSums<Value, Offset> sums{a.y, a.alpha, endRow, endSum};
  sumRunsInBlock<threads, kStripes>(CooPairs<Value, Offset, CooArgs<Product>>{a}, begin, end,
                                    a.count, Offset(share), (opens & 1) != 0, (opens & 2) != 0,
                                    sums);
  if (threadIdx.x >= 32)
    return;
  __syncwarp();
  // The sum of a run that is open at both ends is in endSum[0], but lane 1 publishes it.
  const bool isThrough = (opens & 3) == 3 && endRow[0] == endRow[1];
  const int which = isThrough || threadIdx.x == 0 ? 0 : 1;
  Value sum = open.isOpen() ? endSum[which] : Value(0);
  if (publishPartialSum(rows, open, sum))
    sums.whole(endRow[which], sum, sums.before(endRow[which], true));
}

} // namespace specmv
