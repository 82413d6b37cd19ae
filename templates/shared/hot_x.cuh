// x of the hot columns, those with the most entries, in shared memory: kernels whose columns are
// numbered so that the hot ones come first read x through HotX.
#pragma once
#include "shared/qcsr_tile.cuh"

namespace specmv {

// Copies x of the hot columns, which another kernel has put side by side, to shared memory. All
// threads of the block must call this together. Returns null if there are none.
template <int blockThreads, bool areHot, class Value>
__device__ __forceinline__ const Value *stageHot(const Value *hotX, int hotColumns) {
  if constexpr (!areHot)
    return nullptr;
  else {
    SPECMV_DYNAMIC_SHARED_ARRAY(Value, hot, hotColumns);
    stageTile<blockThreads>(hotX, 0, hotColumns, hot);
    waitForCopies();
    __syncthreads();
    return hot;
  }
}

// Yields x of a column, and 0 for padding, which is negative. Hot columns have the numbers 0 ..
// hotColumns - 1, and every other column is hotColumns more than in the matrix.
template <bool areHot, class X, class Value> struct HotX {
  X x;
  const Value *hot; // in shared memory
  int hotColumns;

  template <class Column> __device__ __forceinline__ Value operator()(Column col) const {
    if constexpr (!areHot)
      return loadReusedIf(col >= 0, x + col);
    else {
      const Value other = loadReusedIf(col >= hotColumns, x + (Int64(col) - hotColumns));
      return col >= 0 && col < hotColumns ? hot[col] : other;
    }
  }
};

} // namespace specmv
