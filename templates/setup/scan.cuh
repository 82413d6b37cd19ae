// Turns counts into places: element i becomes the sum of the elements before it. This takes three
// kernels, or one that runs in a single block if there are few counts. A chain of blocks that wait
// for each other would always need only one kernel, but would require that all blocks run at the
// same time.
#pragma once
#include "setup/block.cuh"

namespace specmv {

// `data` has one element more than there are counts; the last one becomes the total. The sums of
// blocks have 64 bits, so that a sum is known even if it does not fit `data`.
template <class T> struct ScanArgs {
  T *data;
  long long *blockSums; // blocks + 1; the last one becomes the total
  long long count;      // elements of data, including the last one
  long long blocks;
};

// Computes the sum of each block's counts.
template <class T> __device__ __forceinline__ void scanSums(const ScanArgs<T> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  const long long first = static_cast<long long>(blockIdx.x) * kScanPerBlock;
  long long own = 0, total;
  for (int i = 0; i < kScanPerThread; ++i) {
    const long long at = first + i * kSetupBlock + threadIdx.x;
    own += at < a.count - 1 ? static_cast<long long>(a.data[at]) : 0;
  }
  blockScan<kSetupBlock>(own, warpSums, total);
  if (threadIdx.x == 0)
    a.blockSums[blockIdx.x] = total;
}

// Computes the sum of the blocks before each block. Called by one block.
template <class T> __device__ __forceinline__ void scanBlocks(const ScanArgs<T> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  long long before = 0;
  for (long long first = 0; first < a.blocks; first += kSetupBlock) {
    const long long at = first + threadIdx.x;
    const long long own = at < a.blocks ? a.blockSums[at] : 0;
    long long total;
    const long long place = before + blockScan<kSetupBlock>(own, warpSums, total);
    if (at < a.blocks)
      a.blockSums[at] = place;
    before += total;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    a.blockSums[a.blocks] = before;
}

// Computes the places of one piece of the data, which begins with element `first`; `before` is the
// sum of the counts before it. Returns the sum of the piece's counts.
template <class T>
__device__ __forceinline__ long long placePiece(const ScanArgs<T> &a, long long first,
                                                long long before, long long (&warpSums)[33]) {
  first += threadIdx.x * kScanPerThread;
  T counts[kScanPerThread];
  long long own = 0, total;
#pragma unroll
  for (int i = 0; i < kScanPerThread; ++i) {
    counts[i] = first + i < a.count - 1 ? a.data[first + i] : T(0);
    own += static_cast<long long>(counts[i]);
  }
  long long place = before + blockScan<kSetupBlock>(own, warpSums, total);
#pragma unroll
  for (int i = 0; i < kScanPerThread; ++i) {
    if (first + i < a.count)
      a.data[first + i] = static_cast<T>(place);
    place += static_cast<long long>(counts[i]);
  }
  return total;
}

template <class T> __device__ __forceinline__ void scanPlaces(const ScanArgs<T> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  placePiece(a, static_cast<long long>(blockIdx.x) * kScanPerBlock, a.blockSums[blockIdx.x],
             warpSums);
}

// Does the whole scan. Called by one block.
template <class T> __device__ __forceinline__ void scanFew(const ScanArgs<T> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  long long before = 0;
  for (long long first = 0; first < a.count; first += kScanPerBlock) {
    before += placePiece(a, first, before, warpSums);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    a.blockSums[a.blocks] = before;
}

} // namespace specmv
