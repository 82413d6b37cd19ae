// Products with several vectors at once: Y = alpha A X + beta Y. For each value of x and y, X and Y
// have a row of values, one for each vector. A team of neighbouring threads does the work that one
// thread does for one vector. Each thread works on up to 16 bytes of a row, so a team reads a whole
// row of X, and reads the entries of A once for all vectors. Kernels are templated on the types of
// x and y: with plain pointers, a team is one thread, and this file adds no code.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

// Row i of X begins at x + i stride, aligned so that a thread can read its part at once.
template <class Value, int vectors> struct RowsOfX {
  const Value *x;
  Int64 stride;
  __device__ RowsOfX operator+(Int64 i) const { return {x + i * stride, stride}; }
};

// Value j of row i of Y is y[i stride + j step], for the first `count` vectors. With step 0, all
// vectors count, and rows are laid out like those of X.
template <class Value, int vectors> struct RowsOfY {
  Value *y;
  Int64 stride, step;
  int count;
  __device__ RowsOfY operator+(Int64 i) const { return {y + i * stride, stride, step, count}; }
};

// The numbers of vectors, of threads in a team, and of vectors per thread for a type of x.
template <class X> struct Team {
  enum : int { kVectors = 1, kThreads = 1, kEach = 1 };
};
template <class Value, int count> struct Team<RowsOfX<Value, count>> {
  enum : int {
    kVectors = count,
    kThreads = teamOf(count, sizeof(Value)),
    kEach = count / kThreads
  };
};
template <class X> __device__ constexpr int teamThreads() { return Team<X>::kThreads; }

// The type of a thread's sum: one value, or several.
template <class X> struct SumOfTeam;
template <class Value> struct SumOfTeam<const Value *> { using Type = Value; };
template <class Value, int count> struct SumOfTeam<RowsOfX<Value, count>> {
  using Type = Several<Value, Team<RowsOfX<Value, count>>::kEach>;
};
template <class X> using SumOf = typename SumOfTeam<X>::Type;

// X and Y from the first vector of this thread on.
template <class Value> __device__ __forceinline__ Value *ofThread(Value *p) { return p; }
template <class Value> __device__ __forceinline__ Apart<Value> ofThread(const Apart<Value> &y) {
  return y;
}
template <class Value, int count>
__device__ __forceinline__ RowsOfX<Value, count> ofThread(const RowsOfX<Value, count> &x) {
  using Own = Team<RowsOfX<Value, count>>;
  return {x.x + threadIdx.x % Own::kThreads * Own::kEach, x.stride};
}
template <class Value, int count>
__device__ __forceinline__ RowsOfY<Value, count> ofThread(const RowsOfY<Value, count> &y) {
  using Own = Team<RowsOfX<Value, count>>;
  const int first = threadIdx.x % Own::kThreads * Own::kEach;
  return {y.y + first * (y.step == 0 ? 1 : y.step), y.stride, y.step, y.count - first};
}

// This thread's values of the first row; 0, without a load, if they are not wanted.
template <class Value, int count>
__device__ __forceinline__ auto loadReused(const RowsOfX<Value, count> &x) {
  return loadReused(reinterpret_cast<const SumOf<RowsOfX<Value, count>> *>(x.x));
}
template <class Value, int count>
__device__ __forceinline__ auto loadReusedIf(bool wanted, const RowsOfX<Value, count> &x) {
  return loadReusedIf(wanted, reinterpret_cast<const SumOf<RowsOfX<Value, count>> *>(x.x));
}

template <class Stored, class Value, int count>
__device__ __forceinline__ Several<Value, count>
multiplyAdd(Stored a, const Several<Value, count> &b, Several<Value, count> c) {
#pragma unroll
  for (int j = 0; j < count; ++j)
    c.at[j] = multiplyAdd(a, b.at[j], c.at[j]);
  return c;
}

template <int lanes, int stride, class Value, int count>
__device__ __forceinline__ Several<Value, count> groupSum(Several<Value, count> v) {
#pragma unroll
  for (int j = 0; j < count; ++j)
    v.at[j] = groupSum<lanes, stride>(v.at[j]);
  return v;
}

template <class Value, int count>
__device__ __forceinline__ void addFromLane(Several<Value, count> &v, int step, int lanes) {
#pragma unroll
  for (int j = 0; j < count; ++j)
    addFromLane(v.at[j], step, lanes);
}

// Writes this thread's values of the first row of Y.
template <bool readsY, class Value, int vectors, int count>
__device__ __forceinline__ void storeResult(const RowsOfY<Value, vectors> &y, Value alpha,
                                            const Several<Value, count> &sum, Value beta) {
  if (y.step != 0) {
#pragma unroll
    for (int j = 0; j < count; ++j)
      if (j < y.count)
        storeResult<readsY>(y.y + j * y.step, alpha, sum.at[j], beta);
    return;
  }
  auto *const whole = reinterpret_cast<Several<Value, count> *>(y.y);
  Several<Value, count> result;
#pragma unroll
  for (int j = 0; j < count; ++j)
    result.at[j] = alpha * sum.at[j];
  if constexpr (readsY) {
    if (beta != Value(0))
      result = multiplyAdd(beta, *whole, result);
  }
  *whole = result;
}

// Stores a row if it exists and this lane has its sum. With the condition around the store in their
// own code, kernels of CSR-vector for 16 vectors took up to 1.06 of the time (H200, NVRTC 13.0).
template <bool readsY, class Y, class Row, class Sum, class Value>
__device__ __forceinline__ void storeIf(bool live, bool owns, const Y &y, Row row, Value alpha,
                                        const Sum &sum, Value beta) {
  if (live && owns)
    storeResult<readsY>(y + row, alpha, sum, beta);
}

} // namespace specmv
