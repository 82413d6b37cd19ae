// The view of values that are stored as numbers of 4 bits in a table of at most 16 values: two
// slots share a byte, of which the even one has the low half.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

// A kernel's argument has the codes and the table, and so begins with the low half.
template <class Value> struct HalfByteValues {
  const unsigned char *codes;
  const Value *table;
  int half = 0; // 1: the slot is the high half of the byte
};

template <class Value, class Slot>
__device__ __forceinline__ HalfByteValues<Value> operator+(HalfByteValues<Value> view, Slot slots) {
  const Slot at = slots + static_cast<Slot>(view.half);
  return {view.codes + (at >> 1), view.table, static_cast<int>(at & 1)};
}
template <class Value>
__device__ __forceinline__ const Value *entryOf(HalfByteValues<Value> view, unsigned char both) {
  return view.table + (both >> 4 * view.half & 15);
}
template <class Value> __device__ __forceinline__ Value loadKept(HalfByteValues<Value> view) {
  return loadReused(entryOf(view, loadReused(view.codes)));
}
template <class Value> __device__ __forceinline__ Value loadOnce(HalfByteValues<Value> view) {
  return loadKept(view);
}
// Every table begins with a value, so that the second load needs no predicate.
template <class Value>
__device__ __forceinline__ Value loadOnceIf(bool wanted, HalfByteValues<Value> view,
                                            Value otherwise) {
  const Value value = loadReused(entryOf(view, loadReusedIf(wanted, view.codes)));
  return wanted ? value : otherwise;
}
template <class Value>
__device__ __forceinline__ HalfByteValues<Value> opaque(HalfByteValues<Value> view) {
  return {opaque(view.codes), view.table, view.half};
}

} // namespace specmv
