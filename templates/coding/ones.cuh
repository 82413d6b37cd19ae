// The view of values that are all equal: it yields the common value for every slot.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

// Places without an entry yield it too, where an array of plain values has a 0: to tell them apart
// would take an instruction for each. Their product with the 0 that stands for x is -0 for a
// negative value. That matters only to a sum that is -0, which a sum that began with 0 becomes only
// by underflow. An integer times x never underflows.
template <class Value> struct OneValue { Value value; };

template <class Value, class Slot>
__device__ __forceinline__ OneValue<Value> operator+(OneValue<Value> view, Slot /*slots*/) {
  return view;
}
template <class Value> __device__ __forceinline__ Value loadOnce(OneValue<Value> view) {
  return view.value;
}
template <class Value> __device__ __forceinline__ Value loadKept(OneValue<Value> view) {
  return view.value;
}
template <class Value>
__device__ __forceinline__ Value loadOnceIf(bool wanted, OneValue<Value> view, Value otherwise) {
  return wanted ? view.value : otherwise;
}
template <class Value> __device__ __forceinline__ OneValue<Value> opaque(OneValue<Value> view) {
  return view;
}

} // namespace specmv
