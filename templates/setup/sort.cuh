// Sorts keys in shared memory.
#pragma once
#include "shared/device.cuh"

namespace specmv {

// Waits for all threads of a team: a warp or, if it has more than 32 threads, the block.
template <int threads> __device__ __forceinline__ void teamSync() {
  if constexpr (threads == 32)
    __syncwarp();
  else
    __syncthreads();
}

// Sorts `count` keys, a power of two, in ascending order (a bitonic network). The order is unique
// if the keys are distinct. All threads of the team must call it, each with its number.
template <int threads>
__device__ __forceinline__ void sortKeys(unsigned *keys, int count, int thread) {
  teamSync<threads>();
  for (int size = 2; size <= count; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      for (int pair = thread; pair < count / 2; pair += threads) {
        const int low = 2 * step * (pair / step) + pair % step, high = low + step;
        const unsigned a0 = keys[low], a1 = keys[high];
        if ((a0 > a1) == ((low & size) == 0)) {
          keys[low] = a1;
          keys[high] = a0;
        }
      }
      teamSync<threads>();
    }
}

} // namespace specmv
