// The sum of the values that the threads of a block read, so that the compiler keeps all loads.
#pragma once
#include "curves/sizes.cuh"
#include "setup/block.cuh"

namespace specmv {

// Sets sums[block] to the sum over its threads. All threads must call it exactly once.
__device__ __forceinline__ void storeBlockSum(unsigned long long *sums, unsigned long long v) {
  SPECMV_SHARED_ARRAY(unsigned long long, blockSum, 1);
  if (threadIdx.x == 0)
    blockSum[0] = 0;
  __syncthreads();
  addByWarp(blockSum, v);
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = blockSum[0];
}

} // namespace specmv
