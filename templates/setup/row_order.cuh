// Orders rows by descending length within windows; rows of equal length keep their order. A block
// sorts whole windows in shared memory (a bitonic network over distinct keys).
#pragma once
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct RowOrderArgs {
  const Index *csrRowPtr;
  Int16 *perm; // by place: the row, counted from the first of its window
  long long rows;
  int logWindow;
};

template <int tile, class Index>
__device__ __forceinline__ void orderRows(const RowOrderArgs<Index> &a, unsigned *keys) {
  const long long first = static_cast<long long>(blockIdx.x) * tile;
  const unsigned placeMask = (1U << a.logWindow) - 1U;
  for (int i = static_cast<int>(threadIdx.x); i < tile; i += kOrderBlock) {
    const long long row = first + i;
    // Behind the last row: after all others.
    unsigned key = kFullMask;
    if (row < a.rows) {
      const long long length = rowLength(a.csrRowPtr, row);
      const unsigned shorter =
          kMaxOrderedLength - (length < kMaxOrderedLength ? unsigned(length) : kMaxOrderedLength);
      const unsigned place = static_cast<unsigned>(i);
      key = (((place >> a.logWindow) << 16 | shorter) << a.logWindow) | (place & placeMask);
    }
    keys[i] = key;
  }
  __syncthreads();
  for (int size = 2; size <= tile; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      for (int pair = static_cast<int>(threadIdx.x); pair < tile / 2; pair += kOrderBlock) {
        const int low = 2 * step * (pair / step) + pair % step, high = low + step;
        const unsigned a0 = keys[low], a1 = keys[high];
        if ((a0 > a1) == ((low & size) == 0)) {
          keys[low] = a1;
          keys[high] = a0;
        }
      }
      __syncthreads();
    }
  for (int i = static_cast<int>(threadIdx.x); i < tile; i += kOrderBlock)
    if (first + i < a.rows)
      a.perm[first + i] = static_cast<Int16>(keys[i] & placeMask);
}

template <class Index> __device__ __forceinline__ void orderNarrow(const RowOrderArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(unsigned, keys, kNarrowTile);
  orderRows<kNarrowTile>(a, keys);
}

template <class Index> __device__ __forceinline__ void orderWide(const RowOrderArgs<Index> &a) {
  SPECMV_DYNAMIC_SHARED_ARRAY(unsigned, keys, kWideTile);
  orderRows<kWideTile>(a, keys);
}

} // namespace specmv
