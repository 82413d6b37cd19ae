// The counting results for the blocks of BCSR, summed over all threads.
#pragma once
#include "pack/bcsr_sizes.cuh"
#include "setup/block.cuh"

namespace specmv {

// A thread's results for the block rows that it counted: the blocks, the smallest and the largest
// column as stored, and whether a row is left to another way of packing.
struct BcsrTally {
  long long blocks = 0, least = 0, most = 0;
  bool isLeft = false;
};

// Adds the results of a block's threads to the common results. All threads must call it.
__device__ __forceinline__ void bcsrReport(BcsrTally own, Int64 *bcsrFound) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  long long total;
  const bool isFirstLane = threadIdx.x % 32 == 0;
  blockScan<kSetupBlock>(own.blocks, warpSums, total);
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(bcsrFound + kBcsrBlocks),
              static_cast<unsigned long long>(total));
    // Updates of the other results are rare, except of the largest column.
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    own.least = min(own.least, __shfl_xor_sync(kFullMask, own.least, lanes));
    own.most = max(own.most, __shfl_xor_sync(kFullMask, own.most, lanes));
  }
  own.isLeft = __ballot_sync(kFullMask, own.isLeft) != 0;
  __syncthreads();
  if (isFirstLane)
    warpSums[threadIdx.x / 32] = own.most;
  __syncthreads();
  for (int warp = 0; threadIdx.x == 0 && warp < kSetupBlock / 32; ++warp)
    own.most = max(own.most, warpSums[warp]);
  if (threadIdx.x == 0)
    atomicMax(bcsrFound + kBcsrMost, own.most);
  if (isFirstLane && own.least < 0)
    atomicMin(bcsrFound + kBcsrLeast, own.least);
  if (isFirstLane && own.isLeft)
    atomicMax(bcsrFound + kBcsrLeft, 1LL);
}

} // namespace specmv
