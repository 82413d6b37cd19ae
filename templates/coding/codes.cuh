// The view of values that are stored as numbers in a table of the different values.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

// A sector of codes has the slots of several passes, so that codes, too, are kept in L1.
template <class Value> struct CodedValues {
  const unsigned char *codes;
  const Value *table;
};

template <class Value, class Slot>
__device__ __forceinline__ CodedValues<Value> operator+(CodedValues<Value> view, Slot slots) {
  return {view.codes + slots, view.table};
}
template <class Value> __device__ __forceinline__ Value loadKept(CodedValues<Value> view) {
  return loadReused(view.table + loadReused(view.codes));
}
template <class Value> __device__ __forceinline__ Value loadOnce(CodedValues<Value> view) {
  return loadKept(view);
}
// Every table begins with a value, so that the second load needs no predicate.
template <class Value>
__device__ __forceinline__ Value loadOnceIf(bool wanted, CodedValues<Value> view, Value otherwise) {
  const Value value = loadReused(view.table + loadReusedIf(wanted, view.codes));
  return wanted ? value : otherwise;
}
template <class Value>
__device__ __forceinline__ CodedValues<Value> opaque(CodedValues<Value> view) {
  return {opaque(view.codes), view.table};
}

} // namespace specmv
