// A result whose rows are stored in another order: a kernel stores row i at row rowAt[i] of y.
#pragma once
#include "shared/device.cuh"

namespace specmv {

template <class Value> struct PlacedApart {
  Value *z;
  const Value *y;
  const int *rowAt;
  template <class Row> __device__ Apart<Value> operator+(Row i) const {
    const int row = loadReused(rowAt + i);
    return {z + row, y + row};
  }
};
template <class Value>
__device__ __forceinline__ PlacedApart<Value> ofThread(const PlacedApart<Value> &y) {
  return y;
}

} // namespace specmv
