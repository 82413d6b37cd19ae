// Finds the columns with the most entries, and renumbers the columns of a packed matrix so that
// these come first. The host does the same (generator/shared/open_rows.h).
#pragma once
#include "profile/columns.cuh"

namespace specmv {

struct HotLeastArgs {
  const unsigned *counts; // of degreeCounts()
  unsigned *least;        // the least degree of a hot column
  int hot;                // the most hot columns
};

// Launched with one block.
__device__ __forceinline__ void hotLeast(const HotLeastArgs &a) {
  constexpr int size = kMostCountedDegree + 1, own = size / kSetupBlock;
  static_assert(own * kSetupBlock == size);
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  SPECMV_SHARED_ARRAY(unsigned, least, 1);
  if (threadIdx.x == 0)
    least[0] = kMostCountedDegree;
  long long counts[own], sum = 0, all;
#pragma unroll
  for (int i = 0; i < own; ++i)
    sum += counts[i] = a.counts[threadIdx.x * own + i];
  // Columns with a degree above those of this thread.
  const long long upTo = blockScan<kSetupBlock>(sum, warpSums, all) + sum;
  long long hotter = all - upTo;
#pragma unroll
  for (int i = own - 1; i >= 0; --i) {
    hotter += counts[i];
    if (hotter <= a.hot && threadIdx.x * own + i > 0)
      atomicMin(least, threadIdx.x * own + i);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    *a.least = least[0];
}

struct HotStartsArgs {
  const unsigned *degrees, *least;
  Int64 *hotStart; // hot columns of each block
  long long cols;
};

// Launched with one thread per column.
__device__ __forceinline__ void hotStarts(const HotStartsArgs &a) {
  SPECMV_SHARED_ARRAY(int, warpSums, 33);
  const long long c = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  int total;
  blockScan<kSetupBlock>(
      int(c < a.cols && countedDegree(a.degrees[c]) >= static_cast<int>(*a.least)), warpSums,
      total);
  if (threadIdx.x == 0)
    a.hotStart[blockIdx.x] = total;
}

template <class Column> struct HotNumbersArgs {
  const unsigned *degrees, *least;
  const Int64 *hotStart; // prefix sums, exclusive
  Column *numbers;       // of each column
  Column *hotCol;
  long long cols;
  int hot;
};

// Launched with one thread per column.
template <class Column>
__device__ __forceinline__ void hotNumbers(const HotNumbersArgs<Column> &a) {
  SPECMV_SHARED_ARRAY(int, warpSums, 33);
  const long long c = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  const bool isHot = c < a.cols && countedDegree(a.degrees[c]) >= static_cast<int>(*a.least);
  int total;
  const long long number =
      a.hotStart[blockIdx.x] + blockScan<kSetupBlock>(int(isHot), warpSums, total);
  if (c >= a.cols)
    return;
  const bool isListed = isHot && number < a.hot;
  a.numbers[c] = static_cast<Column>(isListed ? number : c + a.hot);
  if (isListed)
    a.hotCol[number] = static_cast<Column>(c);
}

template <class Column> struct HotRenumberArgs {
  const Column *numbers;
  Column *col; // negative for padding
  long long slots;
};

// Launched with one thread per slot.
template <class Column>
__device__ __forceinline__ void hotRenumber(const HotRenumberArgs<Column> &a) {
  const long long slot = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (slot < a.slots && a.col[slot] >= 0)
    a.col[slot] = a.numbers[a.col[slot]];
}

} // namespace specmv
