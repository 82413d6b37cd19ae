// Neighbouring rows of one warp, one lane per row, and the counts per row: distances, the bandwidth
// and the range of columns.
#pragma once
#include "profile/counts.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct ProfileEntriesArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Word64 *counts; // kProfileWords, then the ranges
  long long rows, cols, nnz, ranges;
  long long rangesPerBlock;
};

// Ranges of columns of kRangeRows rows: cols - the first column (0: none), and the last column + 1.
template <class Args> __device__ __forceinline__ Word64 *rangeFirst(const Args &a) {
  return a.counts + kProfileWords;
}
template <class Args> __device__ __forceinline__ Word64 *rangeLast(const Args &a) {
  return a.counts + kProfileWords + a.ranges;
}
static_assert(kRangeRows == 32, "the rows of a warp are one range");

// The lane's row; an empty one after the last row of the matrix.
struct TileRow {
  int row, begin, end;
};

template <class Index>
__device__ __forceinline__ TileRow tileRowOf(const ProfileEntriesArgs<Index> &a, long long range) {
  const long long row = range * kRangeRows + threadIdx.x % 32;
  const bool isRow = row < a.rows;
  return {static_cast<int>(row), static_cast<int>(isRow ? a.csrRowPtr[row] : Index(a.nnz)),
          static_cast<int>(isRow ? a.csrRowPtr[row + 1] : Index(a.nnz))};
}

// The results that one thread gathers.
struct ReachFound {
  Word64 distSum;
  unsigned bandwidth, descents;
};

// a - b, which can overflow only if the matrix has more than 2^31 diagonals.
__device__ __forceinline__ int difference(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) - static_cast<unsigned>(b));
}
__device__ __forceinline__ unsigned distance(int a, int b) {
  return static_cast<unsigned>(max(difference(a, b), difference(b, a)));
}

// Counts the lane's row, and stores the range of all rows of the warp.
template <class Index>
__device__ __forceinline__ void addReach(const ProfileEntriesArgs<Index> &a, long long range,
                                         const TileRow &own, ReachFound &found) {
  unsigned fromRight = 0, upTo = 0;
  if (own.end > own.begin) {
    const auto first = static_cast<int>(a.csrCol[own.begin]);
    const auto last = static_cast<int>(a.csrCol[own.end - 1]);
    found.descents += own.begin > 0 && a.csrCol[own.begin - 1] > a.csrCol[own.begin];
    found.distSum += static_cast<Word64>(static_cast<long long>(last) - first);
    found.bandwidth = max(found.bandwidth, max(distance(own.row, first), distance(own.row, last)));
    fromRight = static_cast<unsigned>(a.cols) - static_cast<unsigned>(first);
    upTo = static_cast<unsigned>(last) + 1;
  }
  fromRight = warpMax(fromRight);
  upTo = warpMax(upTo);
  if (threadIdx.x % 32 == 0) {
    rangeFirst(a)[range] = fromRight;
    rangeLast(a)[range] = upTo;
  }
}

} // namespace specmv
