// The part of x that a tile of QCSR needs, in shared memory (Zhang et al. 2013, section 5.3): both
// layouts of QCSR copy and read it by these functions.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

// Copies columns first .. end - 1 of x to `to`. All threads of the block must call this after a
// barrier, and waitForCopies() before the next barrier. Columns without an entry of the chunk are
// copied too, but not read.
template <int blockThreads, class Value, class Column>
__device__ __forceinline__ void stageTile(const Value *x, Column first, Column end, Value *to) {
#pragma unroll 4
  for (Column i = threadIdx.x; i < end - first; i += blockThreads)
    copyAsync(to + i, x + first + i);
}

// Returns *x: from shared memory if x is staged, otherwise from global memory by the read-only
// path.
template <bool stage, class Value> __device__ __forceinline__ Value tileElement(const Value *x) {
  if constexpr (stage)
    return *x;
  else
    return loadReused(x);
}

// Returns *x if wanted; otherwise 0, without a load from global memory.
template <bool stage, class Value>
__device__ __forceinline__ Value tileElementIf(bool wanted, const Value *x) {
  if constexpr (stage)
    return wanted ? *x : Value(0);
  else
    return loadReusedIf(wanted, x);
}

} // namespace specmv
