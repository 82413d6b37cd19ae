// Packs padded arrays: a thread takes a row, or a place in the order of rows, and some of its
// columns, so that the threads of a warp write neighbouring slots.
#pragma once
#include "pack/entries.cuh"

namespace specmv {

// The entries of the matrix, as the arguments of a kernel have them, and their destination.
template <class Index, class Column, class Value> struct PadArrays {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  Column *col;
};

// Fills a row's slots in columns firstK .. endK - 1, as far as slots.has() them. Slots without an
// entry get column -1. A negative `row` stands for a row without entries.
template <class Index, class Column, class Value, class Slots>
__device__ __forceinline__ void padRow(const PadArrays<Index, Column, Value> &a, long long row,
                                       long long firstK, long long endK, const Slots &slots) {
  const long long begin = row < 0 ? 0 : a.csrRowPtr[row];
  const long long length = row < 0 ? 0 : a.csrRowPtr[row + 1] - begin;
  for (long long k = firstK; k < endK && slots.has(k); k += kPadTogether) {
    Column col[kPadTogether];
    typename Entries<Value>::Item item[kPadTogether];
#pragma unroll
    for (int i = 0; i < kPadTogether; ++i) {
      const bool isEntry = k + i < length;
      col[i] = isEntry ? static_cast<Column>(a.csrCol[begin + k + i]) : Column(-1);
      item[i] = a.entries.item(isEntry, begin + k + i);
    }
#pragma unroll
    for (int i = 0; i < kPadTogether; ++i)
      if (slots.has(k + i)) {
        a.col[slots.at(k + i)] = col[i];
        a.entries.put(slots.at(k + i), item[i]);
      }
  }
}

} // namespace specmv
