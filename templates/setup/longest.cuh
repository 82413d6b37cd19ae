// The length of the longest row.
#pragma once
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct LongestRowArgs {
  const Index *csrRowPtr;
  Int64 *longest; // 0 before
  long long rows;
};

// The blocks are so few that each may add its longest row to the one of all.
template <class Index> __device__ __forceinline__ void longestRow(const LongestRowArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(long long, held, kSetupBlock);
  long long longest = 0;
  for (long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x; row < a.rows;
       row += static_cast<long long>(gridDim.x) * kSetupBlock)
    longest = max(longest, rowLength(a.csrRowPtr, row));
  longest = blockMax(longest, held);
  if (threadIdx.x == 0)
    atomicMax(a.longest, longest);
}

} // namespace specmv
