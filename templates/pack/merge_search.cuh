// Finds the rows of a block's share of the merge path.
#pragma once
#include "pack/merge_path.cuh"
#include "setup/block.cuh"

namespace specmv {

// Returns merge.rowOf(item), computed by all lanes of a warp: each step leaves 1/33 of the rows.
template <class Index>
__device__ __forceinline__ long long warpRowOf(const MergePath<Index> &merge, long long item) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  long long low = 0, high = merge.mostRowsBefore(item);
  while (low < high) {
    const long long step = (high - low + 32) / 33, probed = low + (lane + 1) * step - 1;
    const bool endsBefore = probed < high && merge.endOf(probed) < item;
    const int passed = __popc(__ballot_sync(kFullMask, endsBefore));
    low += passed * step;
    if (passed < 32)
      high = min(high, low + step - 1);
  }
  return low;
}

// Stores the rows of items `first` and `end` in `rows`, which is shared memory. All threads of a
// block of at least two warps must call this.
template <class Index>
__device__ __forceinline__ void blockRowsOf(const MergePath<Index> &merge, long long first,
                                            long long end, long long (&rows)[2]) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp < 2) {
    const long long row = warpRowOf(merge, warp == 0 ? first : end);
    if (threadIdx.x % 32 == 0)
      rows[warp] = row;
  }
  __syncthreads();
}

} // namespace specmv
