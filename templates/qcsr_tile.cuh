// The x tile of QCSR in shared memory (Zhang et al. 2013, section 5.3): what both of its layouts do
// where a block copies the part of x that a tile needs before it multiplies.
#pragma once
#include "device.cuh"

namespace specmv {

// Copies columns first .. end - 1 of x to their places in the d columns of `tile`. All threads of
// the block must call this, between two barriers. Columns in which no entry of the chunk lies are
// copied too, but nothing reads them from there. d is a power of two.
template <int blockThreads, Int64 d, class Value, class Column>
__device__ __forceinline__ void stageTile(const Value *x, Column first, Column end, Value *tile) {
#pragma unroll 8
  for (Column column = first + threadIdx.x; column < end; column += blockThreads)
    tile[column & (d - 1)] = loadOnce(x + column);
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
