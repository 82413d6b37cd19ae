// Copies consecutive vectors, or rows that are not aligned, to the rows of X that kernels for
// several vectors read (shared/several.cuh). Missing vectors become 0.
#pragma once
#include "shared/several.cuh"

namespace specmv {

template <class Value, int vectors> struct RowsOfXArgs {
  const Value *x; // value j of row i is x[i strideX + j stepX]
  Value *rows;    // cols x vectors
  Int64 cols, strideX, stepX;
  int count; // number of vectors in x
};

template <class Value, int vectors>
__device__ __forceinline__ void rowsOfX(const RowsOfXArgs<Value, vectors> &a) {
  constexpr int each = Team<RowsOfX<Value, vectors>>::kEach;
  const Int64 i = Int64(blockIdx.x) * kRowsOfXThreads + threadIdx.x;
  if (i >= a.cols)
    return;
  Several<Value, each> row[vectors / each];
#pragma unroll
  for (int j = 0; j < vectors; ++j)
    row[j / each].at[j % each] =
        j < a.count ? loadReused(a.x + (i * a.strideX + j * a.stepX)) : Value(0);
  auto *const out = reinterpret_cast<Several<Value, each> *>(a.rows + i * vectors);
#pragma unroll
  for (int j = 0; j < vectors / each; ++j)
    out[j] = row[j];
}

} // namespace specmv
