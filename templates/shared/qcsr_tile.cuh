// The x tile of QCSR in shared memory (Zhang et al. 2013, section 5.3): what both of its layouts do
// where a block copies the part of x that a tile needs before it multiplies.
#pragma once
#include "shared/device.cuh"

namespace specmv {

// Copies columns first .. end - 1 of x to `to` on. All threads of the block must call this, behind
// one barrier, and waitForCopies() before the next. Columns in which no entry of the chunk lies are
// copied too, but nothing reads them from there.
template <int blockThreads, class Value, class Column>
__device__ __forceinline__ void stageTile(const Value *x, Column first, Column end, Value *to) {
#pragma unroll 4
  for (Column i = threadIdx.x; i < end - first; i += blockThreads)
    copyAsync(to + i, x + first + i);
}

// *x of the tile, where it lies: staged in shared memory, or read through the read-only path.
template <bool stage, class Value> __device__ __forceinline__ Value tileElement(const Value *x) {
  if constexpr (stage)
    return *x;
  else
    return loadReused(x);
}

// The same where wanted, else 0 without touching it.
template <bool stage, class Value>
__device__ __forceinline__ Value tileElementIf(bool wanted, const Value *x) {
  if constexpr (stage)
    return wanted ? *x : Value(0);
  else
    return loadReusedIf(wanted, x);
}

} // namespace specmv
