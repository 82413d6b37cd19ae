// ELL (the ELLPACK of Bell and Garland 2009; Li, Yang and Li 2015, section 4.3.3): one thread per
// row. The width K is a constant or an argument. Entries are stored column by column, so that the
// reads of a warp are coalesced.
#pragma once
#include "shared/padded.cuh"

namespace specmv {

// A width that is an argument is kAsArgument, or kAsNarrowArgument for K up to kEllMostNarrow.

struct EllPlan {
  int blockThreads;
  Int64 width; // K
  bool readsY; // false: beta is 0 in every product
};

template <class T> struct EllArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  typename T::Columns col; // width x stride; -1 is padding and sorts last in its row
  typename T::Values val;  // width x stride
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
  Offset stride;    // rows rounded up to a whole warp, which aligns every column of the array
  Offset width = 0; // K, if it is not a constant
};

// The slots of a row from column k of the array on.
template <class Offset> struct EllSlots {
  enum : bool { kMayEnd = false };
  Int64 k;
  Offset stride, row;
  __device__ Offset at(int i) const { return Offset(k + i) * stride + row; }
};

// Adds the remaining columns from k on, at most `most`. There is separate code for each count, so
// that the loads are issued together and the sum adds no padding beyond K.
template <int most, class Args, class Offset, class Sum>
__device__ __forceinline__ Sum ellRest(const Args &a, Offset row, Offset k, Sum sum) {
  if constexpr (most == 0)
    return sum;
  else if (a.width - k == most)
    return paddedBatch<most>(a.col, a.val, a.x, EllSlots<Offset>{k, a.stride, row}, sum);
  else
    return ellRest<most - 1>(a, row, k, sum);
}

// The product of one row. The loop is fully unrolled up to K = 64, and by 16 above that.
template <Int64 width, class Args, class Offset>
__device__ __forceinline__ auto ellRow(const Args &a, Offset row) {
  constexpr Int64 batches = width / kPaddedBatch;
  constexpr int rest = width % kPaddedBatch;
  constexpr int unrolled = width <= kUnrollFully ? batches + 1 : kUnrollWide / int{kPaddedBatch};
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

// The same for a width that is an argument, from `low` to `high`: the code of a kernel that is made
// for it.
template <int low, int high, class Args, class Offset>
__device__ __forceinline__ auto ellRowOfWidth(const Args &a, Offset row) {
  if constexpr (low == high) {
    return ellRow<low>(a, row);
  } else {
    constexpr int middle = (low + high) / 2;
    if (a.width <= middle)
      return ellRowOfWidth<low, middle>(a, row);
    return ellRowOfWidth<middle + 1, high>(a, row);
  }
}

// The same for any width, with code of its own for those from `low` to `high`. Rows of one batch
// need none; that of wide rows takes long to compile.
template <int low, int high, class Args, class Offset>
__device__ __forceinline__ auto ellRowOfAnyWidth(const Args &a, Offset row) {
  if (low <= a.width && a.width <= high)
    return ellRowOfWidth<low, high>(a, row);
  decltype(a.alpha) sum = 0;
  Offset k = 0;
  for (; k + kPaddedBatch <= a.width; k += kPaddedBatch)
    sum = paddedBatch<kPaddedBatch>(a.col, a.val, a.x, EllSlots<Offset>{k, a.stride, row}, sum);
  return ellRest<kPaddedBatch - 1>(a, row, k, sum);
}

template <EllPlan plan, class T> __device__ __forceinline__ void ell(const EllArgs<T> &a) {
  using Offset = typename T::Offset;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.width >= kAsNarrowArgument);
  const Offset row = Offset(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (row >= a.rows)
    return;
  if constexpr (plan.width == 0)
    storeResult<plan.readsY>(a.y + row, a.alpha, typename T::Value(0), a.beta);
  else if constexpr (plan.width == kAsArgument)
    storeResult<plan.readsY>(a.y + row, a.alpha,
                             ellRowOfAnyWidth<kPaddedBatch + 1, kEllMostKnown>(a, row), a.beta);
  else if constexpr (plan.width == kAsNarrowArgument)
    storeResult<plan.readsY>(a.y + row, a.alpha,
                             ellRowOfAnyWidth<kPaddedBatch + 1, kEllMostNarrow>(a, row), a.beta);
  else
    storeResult<plan.readsY>(a.y + row, a.alpha, ellRow<plan.width>(a, row), a.beta);
}

} // namespace specmv
