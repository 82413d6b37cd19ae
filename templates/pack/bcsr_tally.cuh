// What the threads that count the blocks of BCSR have found, added up over all of them.
#pragma once
#include "pack/bcsr_sizes.cuh"
#include "setup/block.cuh"

namespace specmv {

// What a thread has found in the block rows that it counted: the blocks, the least and the greatest
// column as they are stored, and whether a row is left to another way of packing.
struct BcsrTally {
  long long blocks = 0, least = 0, most = 0;
  bool isLeft = false;
};

// Adds what the threads of a block have found to what all find. All threads must call it.
__device__ __forceinline__ void bcsrReport(BcsrTally own, Int64 *bcsrFound) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  long long total;
  const bool isFirstLane = threadIdx.x % 32 == 0;
  blockScan<kSetupBlock>(own.blocks, warpSums, total);
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(bcsrFound + kBcsrBlocks),
              static_cast<unsigned long long>(total));
    // The others are rare, but for the greatest column.
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
