// The kernels before and behind a product whose plan has an order of rows and columns: x is put in
// that order, and the result is taken out of it.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

struct OrderedPlan {
  int blockThreads;
  bool readsY; // false: beta is 0 in every product
};

// Row and column i of the permuted matrix are row and column rowAt[i] of the matrix.
template <class T> struct OrderXArgs {
  const int *rowAt;
  typename T::X x;
  typename T::Value *orderedX;
  Int64 count;
};

template <OrderedPlan plan, class T>
__device__ __forceinline__ void orderX(const OrderXArgs<T> &a) {
  const Int64 i = Int64(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (i < a.count)
    a.orderedX[i] = loadReused(a.x + loadOnce(a.rowAt + i));
}

template <class T> struct OrderedYArgs {
  using Value = typename T::Value;
  const int *rowAt;
  const Value *orderedY; // alpha A x
  typename T::Y y;
  Value beta;
  Int64 count;
};

// May begin while the product runs: the rows are known before, and what beta y needs is read
// behind it, since the compiler may not move these loads.
template <OrderedPlan plan, class T>
__device__ __forceinline__ void orderedY(const OrderedYArgs<T> &a) {
  const Int64 i = Int64(blockIdx.x) * plan.blockThreads + threadIdx.x;
  const bool live = i < a.count;
  const int row = live ? loadOnce(a.rowAt + i) : 0;
  waitForPrevious();
  const typename T::Value sum = loadNowIf(live, a.orderedY + i);
  if (live)
    storeResult<plan.readsY>(rowOf(a.y, row), typename T::Value(1), sum, a.beta);
}

} // namespace specmv
