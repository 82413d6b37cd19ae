// Runs the statements of a fused step for rows whose product another kernel has stored, or without
// any product.
#pragma once
#include "shared/fused.cuh"

namespace specmv {

struct FusedRowsPlan {
  bool hasProduct;
};

template <class T> struct FusedRowsArgs {
  const typename T::Value *ax; // row i of A x; not read without a product
  typename T::Y y;
  Int64 rows;
};

template <FusedRowsPlan plan, class T>
__device__ __forceinline__ void fusedRow(const FusedRowsArgs<T> &a, Int64 row) {
  using Value = typename T::Value;
  Value ax = 0;
  if constexpr (plan.hasProduct)
    ax = a.ax[row];
  storeResult<false>(a.y + row, Value(1), ax, Value(0));
}

// Rows of a whole block need no branches, so that loads of all rows of a thread are issued
// together.
template <FusedRowsPlan plan, class T>
__device__ __forceinline__ void fusedRows(const FusedRowsArgs<T> &a) {
  const Int64 first = Int64(blockIdx.x) * (kStepThreads * kStepRows) + threadIdx.x;
  if (first + (kStepRows - 1) * kStepThreads < a.rows) {
#pragma unroll
    for (int k = 0; k < kStepRows; ++k)
      fusedRow<plan>(a, first + k * kStepThreads);
  } else {
#pragma unroll 1
    for (Int64 row = first; row < a.rows; row += kStepThreads)
      fusedRow<plan>(a, row);
  }
}

} // namespace specmv
