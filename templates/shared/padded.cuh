// A batch of one row's entries in a padded array: what ELL, SELL and JAD do over and over.
#pragma once
#include "shared/device.cuh"

namespace specmv {

// Entries of a row whose loads are issued together: enough to cover the latency of memory without
// costing a double kernel its occupancy (8 x (8 + 4) bytes a thread in flight).
constexpr int kPaddedBatch = 8;

// Adds the products of `count` entries of one row, the i-th in slot slots.at(i) of col and val; a
// row that may end within the batch (Slots::kMayEnd) has slots.has(i) too. What is not there, and a
// padded entry (column -1), never reads x, so that a NaN in x cannot spread. Loads are predicated
// rather than branched around, so that all of them are in flight together.
template <int count, class Value, class Column, class Slots>
__device__ __forceinline__ Value paddedBatch(const Column *cols, const Value *vals, const Value *x,
                                             const Slots &slots, Value sum) {
  Column col[count];
  Value val[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const auto slot = slots.at(i);
    if constexpr (Slots::kMayEnd) {
      col[i] = loadOnceIf(slots.has(i), cols + slot, Column(-1));
      val[i] = loadOnceIf(slots.has(i), vals + slot, Value(0));
    } else {
      col[i] = loadOnce(cols + slot);
      val[i] = loadOnce(vals + slot);
    }
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
    sum = multiplyAdd(val[i], loadReusedIf(col[i] >= 0, x + col[i]), sum);
  return sum;
}

} // namespace specmv
