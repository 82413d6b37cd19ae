// Sorts the columns of rows that do not ascend, so that they can be profiled.
#pragma once
#include "profile/counts.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct SortRowsArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Index *sortedCol;
  long long rows;
};

// One warp per row; the place of an entry is the number of entries that come before it.
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
