// The view of values that are all equal: it yields the common value for every slot.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

template <class Value> struct OneValue { Value value; };

template <class Value, class Slot>
__device__ __forceinline__ OneValue<Value> operator+(OneValue<Value> view, Slot /*slots*/) {
  return view;
}
template <class Value> __device__ __forceinline__ Value loadOnce(OneValue<Value> view) {
  return view.value;
}
template <class Value> __device__ __forceinline__ Value loadReused(OneValue<Value> view) {
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
