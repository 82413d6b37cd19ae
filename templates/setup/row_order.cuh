// Orders rows by descending length within windows; rows of equal length keep their order. A block
// sorts whole windows in shared memory, by distinct keys.
#pragma once
#include "setup/block.cuh"
#include "setup/sort.cuh"

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
    // Places after the last row sort last.
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
  sortKeys<kOrderBlock>(keys, tile, static_cast<int>(threadIdx.x));
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
