// Gathers values from random sectors, as products gather x: from memory and from shared memory.
#pragma once
#include "curves/sum.cuh"

namespace specmv {

template <class Value> struct GatherArgs {
  const Value *values; // of 2^(32 - shift) sectors
  unsigned long long *sums;
  int shift;
  int together; // consecutive lanes that read consecutive values of one sector, a power of two
  int count;    // gathers per thread, a multiple of kGatherTogether
};

template <class Value> __device__ __forceinline__ void gatherSum(const GatherArgs<Value> &a) {
  constexpr auto kPerSector = static_cast<unsigned>(kSectorBytes / sizeof(Value));
  const unsigned thread = blockIdx.x * kSetupBlock + threadIdx.x;
  const auto together = static_cast<unsigned>(a.together);
  const Value *const own = a.values + thread % together;
  unsigned at = firstPlace(thread / together);
  unsigned long long sum = 0;
  for (int i = 0; i < a.count; i += kGatherTogether) {
    Value got[kGatherTogether];
#pragma unroll
    for (Value &value : got) {
      at = nextPlace(at);
      value = loadReused(own + static_cast<unsigned long long>(at >> a.shift) * kPerSector);
    }
#pragma unroll
    for (const Value value : got)
      sum += value;
  }
  storeBlockSum(a.sums, sum);
}

template <class Value> struct SharedGatherArgs {
  const Value *values; // 2^kSharedValuesBits
  unsigned long long *sums;
  int count; // gathers per thread, a multiple of kGatherTogether
};

template <class Value>
__device__ __forceinline__ void sharedGatherSum(const SharedGatherArgs<Value> &a) {
  constexpr int kValues = 1 << kSharedValuesBits;
  SPECMV_SHARED_ARRAY(Value, held, kValues);
  for (int i = static_cast<int>(threadIdx.x); i < kValues; i += kSetupBlock)
    held[i] = a.values[i];
  __syncthreads();
  unsigned at = firstPlace(blockIdx.x * kSetupBlock + threadIdx.x);
  unsigned long long sum = 0;
  for (int i = 0; i < a.count; i += kGatherTogether) {
#pragma unroll
    for (int k = 0; k < kGatherTogether; ++k) {
      at = nextPlace(at);
      sum += held[at >> (32 - kSharedValuesBits)];
    }
  }
  storeBlockSum(a.sums, sum);
}

} // namespace specmv
