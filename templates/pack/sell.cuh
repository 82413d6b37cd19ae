// Packs a matrix for SELL (templates/sell.cuh): the widths of its slices, then columns and values.
#pragma once
#include "pack/entries.cuh"

namespace specmv {

template <class Index, class Offset> struct SellWidthsArgs {
  const Index *csrRowPtr;
  const Int16 *perm;
  Offset *sliceStart; // slices + 1; receives the number of slots of each slice
  Int64 *longest;     // length of the longest row
  long long rows;
  int slice, sigma;
};

// The row in a place.
template <class Args>
__device__ __forceinline__ long long sellRowAt(const Args &a, long long place) {
  return a.sigma == 1 ? place : place - place % a.sigma + a.perm[place];
}

// One thread per place; a slice has at most kSetupBlock rows and is within one block. There are so
// few blocks that each may add its longest row to the common maximum.
template <class Index, class Offset>
__device__ __forceinline__ void sellWidths(const SellWidthsArgs<Index, Offset> &a) {
  SPECMV_SHARED_ARRAY(long long, lengths, kSetupBlock);
  const int thread = static_cast<int>(threadIdx.x);
  long long longest = 0;
  for (long long first = static_cast<long long>(blockIdx.x) * kSetupBlock; first < a.rows;
       first += static_cast<long long>(gridDim.x) * kSetupBlock) {
    const long long place = first + thread;
    lengths[thread] = place < a.rows ? rowLength(a.csrRowPtr, sellRowAt(a, place)) : 0;
    __syncthreads();
    for (int step = 1; step < a.slice; step *= 2) {
      if (thread % (2 * step) == 0)
        lengths[thread] = max(lengths[thread], lengths[thread + step]);
      __syncthreads();
    }
    if (thread % a.slice == 0 && place < a.rows) {
      a.sliceStart[place / a.slice] = static_cast<Offset>(lengths[thread] * a.slice);
      longest = max(longest, lengths[thread]);
    }
    __syncthreads();
  }
  longest = blockMax(longest, lengths);
  if (thread == 0)
    atomicMax(a.longest, longest);
}

template <class Index, class Offset, class Column, class Value> struct SellFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  const Int16 *perm;
  const Offset *sliceStart;
  Column *col;
  long long rows;
  int slice, sigma;
};

// One warp per slice, so that its lanes write neighbouring slots.
template <class Index, class Offset, class Column, class Value>
__device__ __forceinline__ void sellFill(const SellFillArgs<Index, Offset, Column, Value> &a) {
  const long long slice =
      static_cast<long long>(blockIdx.x) * (kSetupBlock / 32) + threadIdx.x / 32;
  const long long firstPlace = slice * a.slice;
  if (firstPlace >= a.rows)
    return;
  const long long begin = a.sliceStart[slice], end = a.sliceStart[slice + 1];
  const int logSlice = __ffs(a.slice) - 1; // a 64-bit division would be a call and spill
  for (long long slot = begin + threadIdx.x % 32; slot < end; slot += 32) {
    const long long k = (slot - begin) >> logSlice;
    const long long place = firstPlace + ((slot - begin) & (a.slice - 1));
    long long entry = -1;
    if (place < a.rows) {
      const long long row = sellRowAt(a, place);
      const long long first = a.csrRowPtr[row];
      entry = first + k < a.csrRowPtr[row + 1] ? first + k : -1;
    }
    a.col[slot] = entry < 0 ? Column(-1) : static_cast<Column>(a.csrCol[entry]);
    a.entries.put(slot, a.entries.item(entry >= 0, entry));
  }
}

} // namespace specmv
