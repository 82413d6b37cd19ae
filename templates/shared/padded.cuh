// Multiplies a batch of one row's entries in a padded array, the inner step of ELL, SELL and JAD.
#pragma once
#include "shared/several.cuh"

namespace specmv {

// Adds the products of `count` entries of one row; the i-th is in slot slots.at(i) of col and val.
// Where the row may end within the batch, slots.has(i) tells whether there is an i-th entry.
// Neither a missing nor a padded entry (column -1) reads x, so that a NaN in x cannot spread. Loads
// are predicated, without branches, so that all of them are issued together.
template <int count, class Columns, class Values, class X, class Slots>
__device__ __forceinline__ SumOf<X> paddedBatch(Columns cols, Values vals, const X &x,
                                                const Slots &slots, SumOf<X> sum) {
  decltype(loadOnce(cols)) col[count];
  decltype(loadOnce(vals)) val[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const auto slot = slots.at(i);
    if constexpr (Slots::kMayEnd) {
      col[i] = loadOnceIf(slots.has(i), cols + slot, {-1});
      val[i] = loadOnceIf(slots.has(i), vals + slot, {});
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
