// Finds the length of the longest row.
#pragma once
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct LongestRowArgs {
  const Index *csrRowPtr;
  Int64 *longest; // 0 before the call
  long long rows;
};

// There are so few blocks that each may add its longest row to the common maximum.
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
