// The entries of a matrix while they are packed. A kernel finds the slot of each entry. This file
// then stores the value in the slot, stores the slot, or stores nothing, for all formats. In
// registers and shared memory, an entry is an item.
#pragma once
#include "pack/slots.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Value> struct Entries {
  // The bits of a value, or the number of an entry, from 1. 0 stands for a slot without an entry.
  using Item = WordOf<Value>;

  const Value *csrVal;
  Value *val;      // by slot
  unsigned *slots; // by entry
  int task;        // kStoreValue or another of these numbers; only its own pointers are valid

  // Returns 0 if there is no such entry. The load is predicated, so that several are issued
  // together.
  template <class Entry> __device__ __forceinline__ Item item(bool isEntry, Entry entry) const {
    const bool isValue = task == kStoreValue;
    const Value value = loadReusedIf(isEntry && isValue, csrVal + entry);
    const Item number = isEntry ? static_cast<Item>(entry) + 1 : Item(0);
    return isValue ? __builtin_bit_cast(Item, value) : number;
  }
  template <class Place> __device__ __forceinline__ void put(Place slot, Item item) const {
    if (task == kStoreValue)
      val[slot] = __builtin_bit_cast(Value, item);
    else if (task == kStoreSlot && item != 0)
      slots[item - 1] = static_cast<unsigned>(slot);
  }
};

} // namespace specmv
