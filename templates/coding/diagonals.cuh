// The views of values that are equal along each diagonal of DIA: one value for each diagonal, among
// the arguments of the kernel or in an array.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

// The compiler must know the number of each diagonal that is read: arguments cannot be indexed.
template <class Value, int count> struct DiagonalNumbers { Value at[count]; };

template <class Value> struct DiagonalArray { const Value *at; };

// A place outside the matrix has a 0, as in the array of plain values: products are then equal to
// the bit for infinite values, and for sums of -0.
template <class Value, int count, class Slot>
__device__ __forceinline__ Value loadOfDiagonal(const DiagonalNumbers<Value, count> &view,
                                                int diagonal, Slot /*slot*/, bool isInside) {
  return isInside ? view.at[diagonal] : Value(0);
}
template <class Value, class Slot>
__device__ __forceinline__ Value loadOfDiagonal(const DiagonalArray<Value> &view, int diagonal,
                                                Slot /*slot*/, bool isInside) {
  return loadReusedIf(isInside, view.at + diagonal);
}

} // namespace specmv
