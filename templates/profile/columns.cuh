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

// Counters of a block in shared memory: a slot counts the first column that asks for it, which is
// most likely one with many entries. If each entry added to its column's counter in memory, all
// blocks would wait for the counter of a frequent column.
struct BlockDegrees {
  enum : int { kSlots = 2048 };
  enum : unsigned { kFree = 0xffffffff };
  unsigned *owners, *counts; // kSlots; an owner is a column's number divided by kSlots, or kFree

  template <class Index>
  __device__ __forceinline__ void add(unsigned *degrees, Index column) const {
    const unsigned slot = static_cast<unsigned>(column % kSlots);
    const unsigned own = static_cast<unsigned>(column / kSlots);
    unsigned owner = loadRelaxed(owners + slot);
    if (owner == kFree) {
      owner = atomicCAS(owners + slot, unsigned{kFree}, own);
      owner = owner == kFree ? own : owner;
    }
    if (owner == own)
      atomicAdd(counts + slot, 1U);
    else
      atomicAdd(degrees + column, 1U);
  }
};

// Launched with one block per kDegreeTile entries.
template <class Index>
__device__ __forceinline__ void columnDegrees(const ColumnDegreesArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(unsigned, owners, BlockDegrees::kSlots);
  SPECMV_SHARED_ARRAY(unsigned, counts, BlockDegrees::kSlots);
  const BlockDegrees block{owners, counts};
  for (int slot = threadIdx.x; slot < BlockDegrees::kSlots; slot += kSetupBlock) {
    owners[slot] = BlockDegrees::kFree;
    counts[slot] = 0;
  }
  __syncthreads();
  const long long first = static_cast<long long>(blockIdx.x) * kDegreeTile + threadIdx.x;
#pragma unroll 8
  for (int i = 0; i < kDegreeTile; i += kSetupBlock)
    if (first + i < a.nnz)
      block.add(a.degrees, a.csrCol[first + i]);
  __syncthreads();
  for (int slot = threadIdx.x; slot < BlockDegrees::kSlots; slot += kSetupBlock)
    if (counts[slot] > 0)
      atomicAdd(a.degrees + static_cast<long long>(owners[slot]) * BlockDegrees::kSlots + slot,
                counts[slot]);
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
