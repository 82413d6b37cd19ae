// Definitions that all kernel templates use: types, shared-memory declarations, group sums, loads
// and the store of a result. Plain C++20 for NVRTC, nvcc and clang. For a host compiler, tests/simt
// declares the CUDA names first.
#pragma once
#include "shared/constants.cuh"

namespace specmv {

using Int8 = unsigned char;
using Int16 = unsigned short;
using Int32 = int;
using Int64 = long long;

// Kernels declare shared memory only by these two macros, so that the host executor of tests/simt
// can replace them. Each declares an uninitialized array that all threads of the block share. A
// static array has at most 48 KB. The size of a dynamic one is given at the launch and may be
// larger; a source has at most one.
#ifndef SPECMV_SHARED_ARRAY
#define SPECMV_SHARED_ARRAY(Type, name, count) __shared__ Type name[count]
#define SPECMV_DYNAMIC_SHARED_ARRAY(Type, name, count) extern __shared__ Type name[]
#endif

// The threads that an SM holds at once (CUDA C++ Programming Guide, "Compute Capabilities"), and
// the number of blocks of so many threads that fill it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
enum : int { kThreadsOfSm = 1024 };
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 &&                    \
    (__CUDA_ARCH__ < 1000 || __CUDA_ARCH__ >= 1100)
enum : int { kThreadsOfSm = 1536 };
#else
enum : int { kThreadsOfSm = 2048 };
#endif
template <int threads> struct FullSm {
  enum : int { kBlocks = kThreadsOfSm / threads };
};

enum : unsigned { kFullMask = 0xffffffffU };

// A word with the bits of a value.
template <class Value> struct Bits { using Word = unsigned; };
template <> struct Bits<double> { using Word = unsigned long long; };
template <class Value> using WordOf = typename Bits<Value>::Word;

// The mask of the `lanes` aligned lanes that work together with this thread, including itself.
template <int lanes> __device__ __forceinline__ unsigned groupMask() {
  if constexpr (lanes == 32)
    return kFullMask;
  else
    return ((1U << lanes) - 1U) << (threadIdx.x % 32 / lanes * lanes);
}

// The sum over `lanes` aligned lanes, in a fixed order. All of them must call this together; lane 0
// of the group has the result. With a stride, which is a power of two, lane i < stride has the sum
// over lanes i, i + stride, ...
template <int lanes, int stride = 1, class Value>
__device__ __forceinline__ Value groupSum(Value v) {
#pragma unroll
  for (int step = lanes / 2; step >= stride; step /= 2)
    v += __shfl_down_sync(groupMask<lanes>(), v, step, lanes);
  return v;
}

template <class Value> __device__ __forceinline__ void addFromLane(Value &v, int step, int lanes) {
  v += __shfl_down_sync(kFullMask, v, step, lanes);
}
// Adds several sums as groupSum<lanes, stride>() does, in the same order, where the number of lanes
// is no constant. The steps of all sums are beside each other, so that each waits for few shuffles.
// All lanes of the warp must call this together.
template <int count, class Sum>
__device__ __forceinline__ void groupSums(Sum (&sums)[count], int lanes, int stride) {
#pragma unroll 1
  for (int step = lanes / 2; step >= stride; step /= 2)
#pragma unroll
    for (Sum &sum : sums)
      addFromLane(sum, step, lanes);
}

__device__ __forceinline__ float multiplyAdd(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double multiplyAdd(double a, double b, double c) { return fma(a, b, c); }
// For a matrix that is stored in float and multiplies vectors in double.
__device__ __forceinline__ double multiplyAdd(float a, double b, double c) {
  return fma(double(a), b, c);
}

// A result and its addend: z = alpha A x + beta y.
template <class Value> struct Apart {
  Value *z;
  const Value *y;
  template <class Row> __device__ Apart operator+(Row i) const { return {z + i, y + i}; }
};
// Stores z = alpha sum + beta y. If beta is 0, y is not read and may be uninitialized.
template <bool readsY, class Value>
__device__ void storeResult(const Apart<Value> &at, Value alpha, Value sum, Value beta) {
  Value result = alpha * sum;
  if constexpr (readsY) {
    if (beta != Value(0))
      result = multiplyAdd(beta, *at.y, result);
  }
  *at.z = result;
}
template <bool readsY, class Value>
__device__ void storeResult(Value *y, Value alpha, Value sum, Value beta) {
  storeResult<readsY>(Apart<Value>{y, y}, alpha, sum, beta);
}

// Stores the results of a block's rows, of which lanes that own one have it: the first threads do
// so, where `live` is true if the row exists and `place` is the row's among the block's. Few warps
// then run the statements of a fused step instead of all. All threads must call this together.
template <bool readsY, int blockRows, class Y, class Row, class Value>
__device__ __forceinline__ void storeByFirst(const Y &y, bool owns, bool live, int place, Row row,
                                             Value alpha, Value sum, Value beta) {
  SPECMV_SHARED_ARRAY(Int64, rows, blockRows);
  SPECMV_SHARED_ARRAY(Value, results, blockRows);
  if (owns)
    rows[place] = live ? Int64(row) : Int64(-1), results[place] = sum;
  __syncthreads();
  if (threadIdx.x < blockRows && rows[threadIdx.x] >= 0)
    storeResult<readsY>(y + rows[threadIdx.x], alpha, results[threadIdx.x], beta);
}

} // namespace specmv

#include "shared/load.cuh"
