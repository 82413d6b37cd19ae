// Utilities that set-up kernels share: the size of their blocks, lengths of rows, and sums and
// maxima over a block.
#pragma once
#include "setup/sizes.cuh"
#include "shared/device.cuh"

namespace specmv {

template <class Index>
__device__ __forceinline__ long long rowLength(const Index *rowPtr, long long row) {
  return static_cast<long long>(rowPtr[row + 1]) - rowPtr[row];
}

// The maximum over the threads of a block of kSetupBlock. All threads must call it, and must
// synchronize before `held`, which is shared memory, is used again.
template <class T> __device__ __forceinline__ T blockMax(T v, T (&held)[kSetupBlock]) {
  const int thread = static_cast<int>(threadIdx.x);
  held[thread] = v;
  __syncthreads();
  for (int step = kSetupBlock / 2; step > 0; step /= 2) {
    if (thread < step)
      held[thread] = max(held[thread], held[thread + step]);
    __syncthreads();
  }
  return held[0];
}

// Moves each element to the place before it. A loop that is not unrolled reads its elements in
// order by this: it takes v[0] and then calls dropFirst(), since registers cannot be indexed.
template <class T, int count> __device__ __forceinline__ void dropFirst(T (&v)[count]) {
#pragma unroll
  for (int i = 1; i < count; ++i)
    v[i - 1] = v[i];
}

// The inclusive sum over the lanes of a warp up to this one. All lanes must call it.
template <class T> __device__ __forceinline__ T warpScan(T v) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T below = __shfl_up_sync(kFullMask, v, step);
    if (lane >= step)
      v += below;
  }
  return v;
}

// Gives all lanes of a warp their maximum. All lanes must call it.
__device__ __forceinline__ unsigned warpMax(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kFullMask, v);
#else
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    v = max(v, __shfl_xor_sync(kFullMask, v, step));
  return v;
#endif
}

// Gives all lanes of a warp their minimum, for numbers that are not negative. All lanes must call
// it.
__device__ __forceinline__ int warpMin(int v) {
  return static_cast<int>(~warpMax(~static_cast<unsigned>(v)));
}

// Gives all lanes of a warp the bitwise OR of their numbers. All lanes must call it.
__device__ __forceinline__ unsigned warpOr(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kFullMask, v);
#else
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    v |= __shfl_xor_sync(kFullMask, v, step);
  return v;
#endif
}

// Gives all lanes of a warp their sum modulo 2^64. All lanes must call it.
__device__ __forceinline__ unsigned long long warpSum(unsigned long long v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  // Adds parts of 27 bits, of which 32 add up to less than 2^32. Shuffles would take four times the
  // code, and the loading time of a kernel depends on its size.
  constexpr unsigned part = (1U << 27) - 1;
  const unsigned long long low = __reduce_add_sync(kFullMask, static_cast<unsigned>(v) & part);
  const unsigned long long middle =
      __reduce_add_sync(kFullMask, static_cast<unsigned>(v >> 27) & part);
  const unsigned long long high = __reduce_add_sync(kFullMask, static_cast<unsigned>(v >> 54));
  return low + (middle << 27) + (high << 54);
#else
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_xor_sync(kFullMask, v, step);
  return v;
#endif
}

// Adds the sum over the lanes of a warp to a word in shared memory. All lanes must call it.
__device__ __forceinline__ void addByWarp(unsigned long long *to, unsigned long long v) {
  v = warpSum(v);
  if (threadIdx.x % 32 == 0 && v > 0)
    atomicAdd(to, v);
}

// Returns the sum over the threads of a block before this one; `total` receives the sum over all.
// `warpSums` is shared memory of 33 elements. All threads must call it, and must synchronize before
// its next use.
template <int threads, class T>
__device__ __forceinline__ T blockScan(T v, T (&warpSums)[33], T &total) {
  static_assert(threads % 32 == 0 && threads <= 1024);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const T upTo = warpScan(v);
  if (lane == 31)
    warpSums[warp] = upTo;
  __syncthreads();
  if (warp == 0) {
    const T own = lane < threads / 32 ? warpSums[lane] : T(0);
    const T sum = warpScan(own);
    __syncwarp();
    warpSums[lane] = sum - own;
    if (lane == 31)
      warpSums[32] = sum;
  }
  __syncthreads();
  total = warpSums[32];
  return warpSums[warp] + upTo - v;
}

} // namespace specmv
