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
  Streamed<int> rowAt;
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
  Streamed<int> rowAt;
  const Value *orderedY; // alpha A x
  typename T::Y y;
  Value beta;
  Int64 count;
};

template <OrderedPlan plan, class T>
__device__ __forceinline__ void orderedY(const OrderedYArgs<T> &a) {
  const Int64 i = Int64(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (i < a.count)
    storeResult<plan.readsY>(a.y + loadOnce(a.rowAt + i), typename T::Value(1),
                             loadOnce(a.orderedY + i), a.beta);
}

} // namespace specmv
