// COO: entries sorted by row, each warp sums the runs of its share; sums of rows that several warps
// share are put together in a fixed order, first in the block, then by the last block to finish.
#pragma once
#include "runs.cuh"

namespace specmv {

struct CooPlan {
  int blockThreads;
  int itemsPerThread; // a warp's share is 32 x this, a multiple of kStripesOfEntries
};

constexpr int kStripesOfEntries = 4; // row, column, value and x of each in flight
constexpr int kStripesOfOpen = 4;

template <class Value, class Offset, class Column> struct CooArgs {
  const Offset *row; // ascending
  const Column *col;
  const Value *val; // from valBegin on
  const Value *x;
  Value *y; // rows are added to
  Value alpha;
  Offset valBegin;
  Offset count;
  // Scratch: row and sum of what each block leaves open at its two ends (row -1: nothing), and the
  // number of blocks that are done, 0 between launches.
  Offset *openRow; // 2 a block
  Value *openSum;  // 2 a block
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

// Sums that were left open, in shared memory or in scratch.
template <class Value, class Offset> struct OpenPairs {
  const Offset *rows;
  const Value *sums;
  __device__ Offset row(Offset i) const { return rows[i]; }
  __device__ Value product(Offset i) const { return sums[i]; }
};

// Adds whole sums to y, keeps the open ones. A row gets one addition, from the one warp that has
// all of it, so the order of atomics does not matter: they are used since nobody waits for their
// result, where reading y first would hold up the warp at every run.
template <class Value, class Offset> struct RunSums {
  Value *y;
  Value alpha;
  Offset *openRow; // [0] head, [1] tail
  Value *openSum;
  __device__ void whole(Offset row, Value sum) {
    if (row >= 0)
      atomicAdd(y + row, alpha * sum);
  }
  __device__ void head(Offset row, Value sum) { openRow[0] = row, openSum[0] = sum; }
  __device__ void tail(Offset row, Value sum) { openRow[1] = row, openSum[1] = sum; }
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

// Sums the runs of a block's share; what stays open goes to scratch.
template <const CooPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void cooBlock(const CooArgs<Value, Offset, Column> &a) {
  constexpr int warps = plan.blockThreads / 32;
  constexpr int share = 32 * plan.itemsPerThread;
  SPECMV_SHARED_ARRAY(Offset, openRow, 2 * warps);
  SPECMV_SHARED_ARRAY(Value, openSum, 2 * warps);

  const int warp = threadIdx.x / 32;
  if (threadIdx.x < 2 * warps)
    openRow[threadIdx.x] = -1, openSum[threadIdx.x] = 0;
  __syncthreads();

  const Offset blockBegin = Offset(blockIdx.x) * warps * share;
  const Offset blockEnd =
      a.count - blockBegin < warps * share ? a.count : blockBegin + warps * share;
  const Offset begin = blockBegin + warp * share;
  const Offset end = blockEnd - begin < share ? blockEnd : begin + share;
  const CooPairs<Value, Offset, Column> pairs{a};
  auto splits = [&](Offset at) {
    return at > 0 && at < a.count && pairs.row(at - 1) == pairs.row(at);
  };
  if (begin < end) {
    RunSums<Value, Offset> out{a.y, a.alpha, openRow + 2 * warp, openSum + 2 * warp};
    sumRuns<kStripesOfEntries, Offset, Value>(pairs, begin, end, splits(begin), splits(end), out);
  }
  __syncthreads();

  if (warp == 0) {
    Offset *blockRow = a.openRow + 2 * Offset(blockIdx.x);
    Value *blockSum = a.openSum + 2 * Offset(blockIdx.x);
    if (threadIdx.x < 2)
      blockRow[threadIdx.x] = -1, blockSum[threadIdx.x] = 0;
    __syncwarp();
    RunSums<Value, Offset> out{a.y, a.alpha, blockRow, blockSum};
    sumRuns<1, Offset, Value>(OpenPairs<Value, Offset>{openRow, openSum}, Offset(0),
                              Offset(2 * warps), splits(blockBegin), splits(blockEnd), out);
  }
}

template <const CooPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void coo(const CooArgs<Value, Offset, Column> &a) {
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 512);
  static_assert(plan.itemsPerThread % kStripesOfEntries == 0);
  cooBlock<plan>(a);
  if (!lastBlock(a.blocksDone))
    return;
  if (threadIdx.x < 32) {
    RunSums<Value, Offset> out{a.y, a.alpha, nullptr, nullptr};
    sumRuns<kStripesOfOpen, Offset, Value>(OpenPairs<Value, Offset>{a.openRow, a.openSum},
                                           Offset(0), 2 * Offset(gridDim.x), false, false, out);
  }
  if (threadIdx.x == 0)
    *a.blocksDone = 0;
}

} // namespace specmv
