// Packs a matrix for merge-path CSR (templates/csr_merge.cuh): the paths of its threads, and the
// rows that its blocks share.
#pragma once
#include "pack/merge_search.cuh"

namespace specmv {

template <class Index, class Offset, class Path> struct MergeFillArgs {
  const Index *csrRowPtr;
  Path *path;
  Offset *warpRow;
  long long rows, entries, paths;
  int items; // items per path
};

// One thread per path. The ends of rows set the bits of the block's paths. The number of rows
// before a path is then the number of bits before it, so no path searches for its row.
template <class Index, class Offset, class Path>
__device__ __forceinline__ void mergeFill(const MergeFillArgs<Index, Offset, Path> &a) {
  SPECMV_SHARED_ARRAY(int, bits, kSetupBlock);
  SPECMV_SHARED_ARRAY(int, warpSums, 33);
  SPECMV_SHARED_ARRAY(long long, ends, 2);
  const MergePath<Index> merge{a.csrRowPtr, a.rows, a.entries};
  const int thread = static_cast<int>(threadIdx.x), blockItems = kSetupBlock * a.items;
  const long long firstItem = static_cast<long long>(blockIdx.x) * blockItems;
  bits[thread] = 0;
  blockRowsOf(merge, firstItem, firstItem + blockItems, ends);
  for (long long row = ends[0] + thread; row < ends[1]; row += kSetupBlock) {
    const long long end = merge.endOf(row) - firstItem;
    const int item = static_cast<int>(end);
    if (end >= 0 && end < blockItems) // rowPtr may be unchecked and decrease
      atomicOr(bits + item / a.items, pathBit(item % a.items));
  }
  __syncthreads();

  const int own = bits[thread], ended = __popc(static_cast<unsigned>(own));
  int total;
  const int before = blockScan<kSetupBlock>(ended, warpSums, total);
  const int beforeWarp = __shfl_sync(kFullMask, before, 0);
  const long long at = static_cast<long long>(blockIdx.x) * kSetupBlock + thread;
  if (at < a.paths)
    a.path[at] = static_cast<Path>(pathOf(own, before - beforeWarp, a.items));
  if (at < a.paths && at % 32 == 31)
    a.warpRow[at / 32 + 1] = static_cast<Offset>(ends[0] + before + ended);
  if (at == 0)
    a.warpRow[0] = 0;
}

template <class Index> struct MergeOpenRowsArgs {
  const Index *csrRowPtr;
  unsigned *openFirst, *openLast;
  long long rows, entries;
  long long share; // items per block of the product
  long long boundaries;
};

// One thread per boundary between blocks.
template <class Index>
__device__ __forceinline__ void mergeOpenRows(const MergeOpenRowsArgs<Index> &a) {
  const long long boundary = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (boundary >= a.boundaries)
    return;
  const SharedBy blocks =
      MergePath<Index>{a.csrRowPtr, a.rows, a.entries}.sharedAt(boundary, a.share);
  a.openFirst[boundary] = static_cast<unsigned>(blocks.first);
  a.openLast[boundary] = static_cast<unsigned>(blocks.last);
}

} // namespace specmv
