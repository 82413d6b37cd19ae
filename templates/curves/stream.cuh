// Reads a working set in order, as products read a matrix. Its sum keeps the loads alive.
#pragma once
#include "curves/sum.cuh"

namespace specmv {

struct StreamArgs {
  const unsigned *words; // `chunks` of kStreamChunkWords each
  unsigned long long *sums;
  long long chunks;
  long long reads; // total number of chunks to read, starting again after the last
};

__device__ __forceinline__ void streamSum(const StreamArgs &a) {
  const auto step = static_cast<long long>(gridDim.x) % a.chunks;
  auto chunk = static_cast<long long>(blockIdx.x) % a.chunks;
  unsigned long long sum = 0;
  for (long long read = blockIdx.x; read < a.reads; read += gridDim.x) {
    const auto *from =
        reinterpret_cast<const uint4 *>(a.words + chunk * kStreamChunkWords) + threadIdx.x;
    uint4 got[kStreamTogether];
#pragma unroll
    for (int k = 0; k < kStreamTogether; ++k)
      got[k] = loadOnce(from + k * kStreamBlock);
#pragma unroll
    for (const uint4 &word : got)
      sum += word.x + word.y + word.z + word.w;
    chunk += step;
    chunk -= chunk >= a.chunks ? a.chunks : 0;
  }
  storeBlockSum(a.sums, sum);
}

struct FillArgs {
  unsigned *words;
  long long count;
};

// Fills with irregular bits, since equal ones would cost the memory less power.
__device__ __forceinline__ void fillWords(const FillArgs &a) {
  for (long long i = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x; i < a.count;
       i += static_cast<long long>(gridDim.x) * kSetupBlock)
    a.words[i] = firstPlace(static_cast<unsigned>(i));
}

} // namespace specmv
