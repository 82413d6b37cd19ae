// Counts what the walk over all entries left in arrays: occupied diagonals, and spans of columns.
#pragma once
#include "profile/counts.cuh"
#include "setup/block.cuh"

namespace specmv {

struct ProfileDiagonalsArgs {
  const unsigned *diagonalBits;
  Word64 *counts; // kProfileWords
  long long words;
};

// The diagonals whose bit is set.
__device__ __forceinline__ void profileDiagonals(const ProfileDiagonalsArgs &a) {
  SPECMV_SHARED_ARRAY(Word64, sum, 1);
  if (threadIdx.x == 0)
    sum[0] = 0;
  __syncthreads();
  Word64 own = 0;
  for (long long at = static_cast<long long>(blockIdx.x) * kProfileBlock + threadIdx.x;
       at < a.words; at += static_cast<long long>(gridDim.x) * kProfileBlock)
    own += static_cast<Word64>(__popc(a.diagonalBits[at]));
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    own += __shfl_xor_sync(kFullMask, own, step);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, own);
  __syncthreads();
  if (threadIdx.x == 0 && sum[0] > 0)
    atomicAdd(a.counts + kOccupied, sum[0]);
}

struct ProfileSpansArgs {
  const Word64 *rangeFirst; // as profileEntries() leaves them
  const Word64 *rangeLast;
  Word64 *counts;
  long long ranges, cols;
};

// A block the ranges of the longest block of rows, a thread a range; then neighbours are joined.
__device__ __forceinline__ void profileSpans(const ProfileSpansArgs &a) {
  SPECMV_SHARED_ARRAY(Word64, firsts, kRangesPerSpan);
  SPECMV_SHARED_ARRAY(Word64, lasts, kRangesPerSpan);
  SPECMV_SHARED_ARRAY(Word64, totals, kSpanSizes);
  SPECMV_SHARED_ARRAY(Word64, longest, kSpanSizes);
  const int thread = static_cast<int>(threadIdx.x);
  const long long at = static_cast<long long>(blockIdx.x) * kRangesPerSpan + thread;
  firsts[thread] = at < a.ranges ? a.rangeFirst[at] : 0;
  lasts[thread] = at < a.ranges ? a.rangeLast[at] : 0;
  if (thread < kSpanSizes)
    totals[thread] = longest[thread] = 0;
  __syncthreads();
  for (int size = 0; size < kSpanSizes; ++size) {
    const int step = 1 << size;
    if (thread % step == 0) {
      if (size > 0) {
        firsts[thread] = max(firsts[thread], firsts[thread + step / 2]);
        lasts[thread] = max(lasts[thread], lasts[thread + step / 2]);
      }
      // first column = cols - firsts, last = lasts - 1
      if (lasts[thread] > 0) {
        const Word64 span = lasts[thread] - (static_cast<Word64>(a.cols) - firsts[thread]);
        atomicAdd(totals + size, span);
        atomicMax(longest + size, span);
      }
    }
    __syncthreads();
  }
  if (thread < kSpanSizes && totals[thread] > 0) {
    atomicAdd(a.counts + kSpanTotal + thread, totals[thread]);
    atomicMax(a.counts + kSpanLongest + thread, longest[thread]);
  }
}

// --- Rows whose columns do not ascend
// -------------------------------------------------------------

template <class Index> struct SortRowsArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Index *sortedCol;
  long long rows;
};

// A warp a row; the place of an entry is the number of those that come before it.
template <class Index> __device__ __forceinline__ void sortRows(const SortRowsArgs<Index> &a) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long warps = static_cast<long long>(gridDim.x) * (kProfileBlock / 32);
  for (long long row = static_cast<long long>(blockIdx.x) * (kProfileBlock / 32) + threadIdx.x / 32;
       row < a.rows; row += warps) {
    const long long begin = a.csrRowPtr[row], end = a.csrRowPtr[row + 1];
    for (long long own = begin + lane; own < end; own += 32) {
      const Index col = a.csrCol[own];
      long long place = begin;
      for (long long other = begin; other < end; ++other)
        place += a.csrCol[other] < col || (a.csrCol[other] == col && other < own);
      a.sortedCol[place] = col;
    }
  }
}

} // namespace specmv
