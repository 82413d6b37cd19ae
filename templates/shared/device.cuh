// What every kernel template shares: types, shared-memory declarations, group sums and loads. Plain
// C++20 for NVRTC, nvcc and clang; on a host compiler tests/simt supplies the CUDA names first.
#pragma once

namespace specmv {

using Int8 = unsigned char;
using Int16 = unsigned short;
using Int32 = int;
using Int64 = long long;

// Two macros are all that kernels use of shared memory, so that the host executor can supply its
// own: an array, visible to the block, uninitialized. The dynamic one may be larger than the 48 KB
// of a static one; its bytes are those of the launch, and a source has at most one.
#ifndef SPECMV_SHARED_ARRAY
#define SPECMV_SHARED_ARRAY(Type, name, count) __shared__ Type name[count]
#define SPECMV_DYNAMIC_SHARED_ARRAY(Type, name, count) extern __shared__ Type name[]
#endif

// Widths up to this are unrolled in full, wider loops by kUnrollWide: full unrolling costs NVRTC
// 0.12 s at 64 and 1 s at 256 (double, measured with NVRTC 13.0) and gains nothing there.
constexpr int kUnrollFully = 64;
constexpr int kUnrollWide = 16;

constexpr unsigned kFullMask = 0xffffffffU;

// The mask of the `lanes` aligned lanes of this thread's warp that work together.
template <int lanes> __device__ __forceinline__ unsigned groupMask() {
  if constexpr (lanes == 32)
    return kFullMask;
  else
    return ((1U << lanes) - 1U) << (threadIdx.x % 32 / lanes * lanes);
}

// The sum over `lanes` aligned lanes, in a fixed order; every one of them must call this together.
// Lane 0 of the group has the result. With a stride, a power of two, lane i < stride has the sum of
// lanes i, i + stride, ...
template <int lanes, int stride = 1, class Value>
__device__ __forceinline__ Value groupSum(Value v) {
  static_assert(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0);
#pragma unroll
  for (int step = lanes / 2; step >= stride; step /= 2)
    v += __shfl_down_sync(groupMask<lanes>(), v, step, lanes);
  return v;
}

__device__ __forceinline__ float multiplyAdd(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double multiplyAdd(double a, double b, double c) { return fma(a, b, c); }

// Writes alpha sum + beta y. beta = 0 never reads y, so that y may be uninitialized.
template <bool readsY, class Value>
__device__ __forceinline__ void storeResult(Value *y, Value alpha, Value sum, Value beta) {
  Value result = alpha * sum;
  if constexpr (readsY) {
    if (beta != Value(0))
      result = multiplyAdd(beta, *y, result);
  }
  *y = result;
}

} // namespace specmv

#include "shared/load.cuh"
