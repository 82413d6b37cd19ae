// Finds the row of an entry with all lanes of a warp.
#pragma once
#include "shared/device.cuh"

namespace specmv {

// Returns the row of an entry, searched by all lanes of a warp: each step leaves 1/32 of the rows.
template <class Index>
__device__ __forceinline__ long long warpRowOfEntry(const Index *rowPtr, long long rows,
                                                    long long entry) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  long long begin = 0, end = rows; // the row is one of begin .. end - 1
  while (end - begin > 1) {
    const long long step = (end - begin + 31) / 32, own = begin + (lane + 1) * step;
    // Rows before `own` end before the entry.
    const bool isBelow = own < end && rowPtr[own] <= entry;
    const int below = __popc(__ballot_sync(kFullMask, isBelow));
    begin += below * step;
    end = min(end, begin + step);
  }
  return begin;
}

} // namespace specmv
