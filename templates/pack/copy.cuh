// Copies arrays of the matrix to those of a plan, whose indices may have another width.
#pragma once
#include "pack/entries.cuh"

namespace specmv {

// Copies the block's share of the elements.
template <class From, class To>
__device__ __forceinline__ void copyShare(const From *from, To *to, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * kCopyPerBlock + threadIdx.x;
  From held[kCopyPerThread];
#pragma unroll
  for (int i = 0; i < kCopyPerThread; ++i)
    held[i] =
        loadOnceIf(first + i * kSetupBlock < count, from + (first + i * kSetupBlock), From(0));
#pragma unroll
  for (int i = 0; i < kCopyPerThread; ++i)
    if (first + i * kSetupBlock < count)
      to[first + i * kSetupBlock] = static_cast<To>(held[i]);
}

template <class Index, class Offset> struct CopyRowPtrArgs {
  const Index *csrRowPtr;
  Offset *rowPtr;
  long long count; // rows + 1
};

template <class Index, class Offset>
__device__ __forceinline__ void copyRowPtr(const CopyRowPtrArgs<Index, Offset> &a) {
  copyShare(a.csrRowPtr, a.rowPtr, a.count);
}

template <class Index, class Column, class Value> struct CopyEntriesArgs {
  const Index *csrCol;
  Entries<Value> entries;
  Column *col;
  long long count;
};

template <class Index, class Column, class Value>
__device__ __forceinline__ void copyEntries(const CopyEntriesArgs<Index, Column, Value> &a) {
  copyShare(a.csrCol, a.col, a.count);
  const long long first = static_cast<long long>(blockIdx.x) * kCopyPerBlock + threadIdx.x;
  typename Entries<Value>::Item held[kCopyPerThread];
#pragma unroll
  for (int i = 0; i < kCopyPerThread; ++i)
    held[i] = a.entries.item(first + i * kSetupBlock < a.count, first + i * kSetupBlock);
#pragma unroll
  for (int i = 0; i < kCopyPerThread; ++i)
    if (first + i * kSetupBlock < a.count)
      a.entries.put(first + i * kSetupBlock, held[i]);
}

} // namespace specmv
