// COO: entries sorted by row, each block sums the runs of its share; sums of rows that several
// blocks share are put together in a fixed order by the last block to finish.
#pragma once
#include "runs.cuh"

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
  // Scratch: row and sum of what each block leaves open at its two ends (row -1: nothing), two more
  // for the last block, and the number of blocks that are done, 0 between launches.
  Offset *openRow;
  Value *openSum;
  unsigned *blocksDone;
};

// Products of the matrix's entries.
template <class Value, class Offset, class Column> struct CooPairs {
  const CooArgs<Value, Offset, Column> &a;
  __device__ Offset row(Offset i) const { return loadOnce(a.row + i); }
  __device__ Value product(Offset i) const {
    return loadOnce(a.val + a.valBegin + i) * loadReused(a.x + loadOnce(a.col + i));
  }
};

// True in the block that is last to get here, once everything that all blocks wrote is visible.
__device__ __forceinline__ bool lastBlock(unsigned *blocksDone) {
  SPECMV_SHARED_ARRAY(bool, last, 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last[0] = atomicAdd(blocksDone, 1U) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return last[0];
}

template <const CooPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void coo(const CooArgs<Value, Offset, Column> &a) {
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 512);
  static_assert(plan.itemsPerThread % kStripes == 0);
  constexpr int threads = plan.blockThreads, warps = threads / 32;
  constexpr int share = 32 * plan.itemsPerThread;

  const Offset begin = Offset(blockIdx.x) * warps * share;
  const Offset end = a.count - begin < warps * share ? a.count : begin + warps * share;
  const Offset open = 2 * Offset(blockIdx.x);
  sumRunsInBlock<threads, kStripes>(
      CooPairs<Value, Offset, Column>{a}, begin, end, a.count, Offset(share),
      RunSums<Value, Offset>{a.y, a.alpha, a.openRow + open, a.openSum + open});

  if (!lastBlock(a.blocksDone))
    return;
  const Offset ends = 2 * Offset(gridDim.x);
  const Offset endsShare = ((ends + warps - 1) / warps + 31) / 32 * 32;
  sumRunsInBlock<threads, 1>(
      StoredPairs<Value, Offset>{a.openRow, a.openSum}, Offset(0), ends, ends, endsShare,
      RunSums<Value, Offset>{a.y, a.alpha, a.openRow + ends, a.openSum + ends});
  if (threadIdx.x == 0)
    *a.blocksDone = 0;
}

} // namespace specmv
