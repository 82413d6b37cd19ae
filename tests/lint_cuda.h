// The keywords, variables and intrinsics of CUDA that templates/ uses, so that clang can read a
// kernel template without a toolkit. tests/lint.sh and tests/tool/compilers_test.cpp
// include this.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

struct Index3 {
  unsigned x, y, z;
};
struct uint4 { // NOLINT(readability-identifier-naming): CUDA's name
  unsigned x, y, z, w;
};
extern __device__ Index3 threadIdx, blockIdx, blockDim, gridDim;

__device__ float fmaf(float a, float b, float c);
__device__ double fma(double a, double b, double c);
__device__ void __syncthreads();
__device__ void __syncwarp(unsigned mask = 0xffffffffU);
__device__ void __threadfence();
__device__ unsigned long __cvta_generic_to_shared(const void *p);
template <class T> __device__ T __ldg(const T *p);
template <class T> __device__ T __shfl_sync(unsigned mask, T v, int lane, int width = 32);
template <class T> __device__ T __shfl_up_sync(unsigned mask, T v, unsigned step, int width = 32);
template <class T> __device__ T __shfl_down_sync(unsigned mask, T v, unsigned step, int width = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32);
__device__ unsigned __ballot_sync(unsigned mask, int vote);
__device__ unsigned __reduce_add_sync(unsigned mask, unsigned v);
__device__ unsigned __reduce_max_sync(unsigned mask, unsigned v);
__device__ unsigned __reduce_or_sync(unsigned mask, unsigned v);
__device__ int __clz(int v);
__device__ int __ffs(int v);
template <class T> __device__ T atomicAdd(T *p, T v);
template <class T> __device__ T atomicExch(T *p, T v);
template <class T> __device__ T atomicMin(T *p, T v);
template <class T> __device__ T atomicMax(T *p, T v);
template <class T> __device__ T atomicOr(T *p, T v);
template <class T> __device__ T atomicCAS(T *p, T expected, T v);
__device__ int __clzll(long long v);
__device__ int __popc(unsigned v);
template <class T> __device__ T min(T a, T b);
template <class T> __device__ T max(T a, T b);
