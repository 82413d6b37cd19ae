// ELL (the ELLPACK of Bell and Garland 2009; Li, Yang and Li 2015, section 4.3.3): one thread a
// row. The width K is a constant, or an argument; entries are stored column by column, so that a
// warp reads them coalesced.
#pragma once
#include "shared/padded.cuh"

namespace specmv {

struct EllPlan {
  int blockThreads;
  Int64 width; // K, or kAsArgument
  bool readsY; // false: beta is 0 in every product
};

template <class Value, class Offset, class Column, class Stored = Value, class X = const Value *,
          class Y = Value *>
struct EllArgs {
  const Column *col; // width x stride; -1 is padding and sorts last in its row
  const Stored *val; // width x stride
  X x;
  Y y;
  Value alpha, beta;
  Offset rows;
  Offset stride; // rows rounded up to a whole warp, so that every column of the array is aligned
  Offset width = 0; // K, where it is no constant
};

// The slots of a row from column k of the array on.
template <class Offset> struct EllSlots {
  static constexpr RowEnd kEnd = RowEnd::none;
  Int64 k;
  Offset stride, row;
  __device__ Offset at(int i) const { return Offset(k + i) * stride + row; }
};

// The same where only `left` columns are left.
template <class Offset> struct EllLastSlots : EllSlots<Offset> {
  static constexpr RowEnd kEnd = RowEnd::stops;
  Offset left;
  __device__ bool has(int i) const { return i < left; }
};

// The product of one row of a width that is an argument; the same bits as below.
template <class Args, class Offset>
__device__ __forceinline__ auto ellRowOfAnyWidth(const Args &a, Offset row) {
  decltype(a.alpha) sum = 0;
  Offset k = 0;
  for (; k + kPaddedBatch <= a.width; k += kPaddedBatch)
    sum = paddedBatch<kPaddedBatch>(a.col, a.val, a.x, EllSlots<Offset>{k, a.stride, row}, sum);
  if (k < a.width)
    sum = paddedBatch<kPaddedBatch>(a.col, a.val, a.x,
                                    EllLastSlots<Offset>{{k, a.stride, row}, a.width - k}, sum);
  return sum;
}

// The product of one row. The loop is unrolled in full up to K = 64 and by 16 above.
template <const EllPlan &plan, class Args, class Offset>
__device__ __forceinline__ auto ellRow(const Args &a, Offset row) {
  constexpr Int64 batches = plan.width / kPaddedBatch;
  constexpr int rest = plan.width % kPaddedBatch;
  constexpr int unrolled = plan.width <= kUnrollFully ? batches + 1 : kUnrollWide / kPaddedBatch;
  decltype(a.alpha) sum = 0;
#pragma unroll unrolled
  for (Int64 b = 0; b < batches; ++b)
    sum = paddedBatch<kPaddedBatch>(a.col, a.val, a.x,
                                    EllSlots<Offset>{b * kPaddedBatch, a.stride, row}, sum);
  if constexpr (rest != 0)
    sum = paddedBatch<rest>(a.col, a.val, a.x,
                            EllSlots<Offset>{batches * kPaddedBatch, a.stride, row}, sum);
  return sum;
}

template <const EllPlan &plan, class Value, class Offset, class Column, class Stored, class X,
          class Y>
__device__ __forceinline__ void ell(const EllArgs<Value, Offset, Column, Stored, X, Y> &a) {
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.width >= 0 || plan.width == kAsArgument);
  const Offset row = Offset(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (row >= a.rows)
    return;
  if constexpr (plan.width == kAsArgument)
    storeResult<plan.readsY>(rowOf(a.y, row), a.alpha, ellRowOfAnyWidth(a, row), a.beta);
  else
    storeResult<plan.readsY>(rowOf(a.y, row), a.alpha, ellRow<plan>(a, row), a.beta);
}

} // namespace specmv
