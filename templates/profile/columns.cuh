// Counts the entries of each column, and the columns with equally many. The host does the same
// (models/profile/column_degrees.h).
#pragma once
#include "profile/column_features.cuh"
#include "setup/block.cuh"
#include "setup/sizes.cuh"

namespace specmv {

template <class Index> struct ColumnDegreesArgs {
  const Index *csrCol;
  unsigned *degrees; // of each column; zero before the call
  long long nnz;
};

// Launched with one thread per entry.
template <class Index>
__device__ __forceinline__ void columnDegrees(const ColumnDegreesArgs<Index> &a) {
  const long long e = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (e < a.nnz)
    atomicAdd(a.degrees + a.csrCol[e], 1U);
}

struct DegreeCountsArgs {
  const unsigned *degrees;
  unsigned *counts; // columns of each counted degree; zero before the call
  long long cols;
};

// Each block counts its columns in shared memory first, since most columns have few degrees.
__device__ __forceinline__ void degreeCounts(const DegreeCountsArgs &a) {
  constexpr int size = kMostCountedDegree + 1;
  SPECMV_SHARED_ARRAY(unsigned, counts, size);
  for (int i = threadIdx.x; i < size; i += kSetupBlock)
    counts[i] = 0;
  __syncthreads();
  const long long step = static_cast<long long>(gridDim.x) * kSetupBlock;
  for (long long c = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x; c < a.cols;
       c += step)
    atomicAdd(counts + countedDegree(a.degrees[c]), 1U);
  __syncthreads();
  for (int i = threadIdx.x; i < size; i += kSetupBlock)
    if (counts[i] > 0)
      atomicAdd(a.counts + i, counts[i]);
}

} // namespace specmv
