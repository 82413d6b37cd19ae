// COO: entries sorted by row, each block sums the runs of its share (Bell and Garland's segmented
// reduction; PMF paper section 4.3.1), and rows that several blocks share are put together once.
#pragma once
#include "shared/open_rows.cuh"
#include "shared/runs.cuh"

namespace specmv {

struct CooPlan {
  int blockThreads;
  int itemsPerThread; // a warp's share is 32 x this, a multiple of kStripes
};

constexpr int kStripes = 4; // row, column, value and x of each in flight

template <class Value, class Offset, class Column> struct CooArgs {
  const Offset *row; // ascending
  const Column *col;
  const Value *val; // from valBegin on
  const Value *x;
  Value *y; // rows are added to
  Value alpha;
  Offset valBegin;
  Offset count; // at least 1
  // Fields of OpenRows.
  const unsigned *openFirst, *openLast;
  WordOf<Value> *partialSums;
  unsigned *arrivals;
};

// Products of the matrix's entries.
template <class Value, class Offset, class Column> struct CooPairs {
  const CooArgs<Value, Offset, Column> &a;
  __device__ Offset row(Offset i) const { return loadOnce(a.row + i); }
  __device__ Value product(Offset i) const {
    return loadOnce(a.val + a.valBegin + i) * loadReused(a.x + loadOnce(a.col + i));
  }
};

template <const CooPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void coo(const CooArgs<Value, Offset, Column> &a) {
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 512);
  static_assert(plan.itemsPerThread % kStripes == 0);
  constexpr int threads = plan.blockThreads, warps = threads / 32;
  constexpr int share = 32 * plan.itemsPerThread;
  SPECMV_SHARED_ARRAY(Offset, endRow, 2);
  SPECMV_SHARED_ARRAY(Value, endSum, 2);

  const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums, a.arrivals};
  const OpenRow open = rows.ofLane();
  const unsigned opens = __ballot_sync(kFullMask, open.isOpen());
  const Offset begin = Offset(blockIdx.x) * warps * share;
  const Offset end = a.count - begin < warps * share ? a.count : begin + warps * share;
  RunSums<Value, Offset> sums{a.y, a.alpha, endRow, endSum};
  sumRunsInBlock<threads, kStripes>(CooPairs<Value, Offset, Column>{a}, begin, end, a.count,
                                    Offset(share), (opens & 1) != 0, (opens & 2) != 0, sums);
  if (threadIdx.x >= 32)
    return;
  __syncwarp();
  // A run that is open at both ends lies in endSum[0], and is brought by lane 1.
  const bool isThrough = (opens & 3) == 3 && endRow[0] == endRow[1];
  const int which = isThrough || threadIdx.x == 0 ? 0 : 1;
  Value sum = open.isOpen() ? endSum[which] : Value(0);
  if (bringShare(rows, open, sum))
    sums.whole(endRow[which], sum, sums.before(endRow[which], true));
}

} // namespace specmv
