// Packs a matrix for JAD (templates/jad.cuh): the starts of its diagonals, then columns and values.
#pragma once
#include "pack/padded.cuh"

namespace specmv {

template <class Index, class Offset> struct JadDiagonalsArgs {
  const Index *csrRowPtr;
  const Offset *perm;
  Offset *jdPtr; // receives the number of slots of each diagonal
  long long rows, diagonals;
  long long starts; // elements of jdPtr
};

// One thread per diagonal. Diagonal k has the rows that are longer than k, which come first in the
// order.
template <class Index, class Offset>
__device__ __forceinline__ void jadDiagonals(const JadDiagonalsArgs<Index, Offset> &a) {
  const long long k = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (k >= a.starts)
    return;
  long long low = 0, high = k < a.diagonals ? a.rows : 0;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (rowLength(a.csrRowPtr, a.perm[middle]) > k)
      low = middle + 1;
    else
      high = middle;
  }
  a.jdPtr[k] = static_cast<Offset>(jadSlotsOfDiagonal(low));
}

template <class Index, class Offset, class Column, class Value> struct JadFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  const Offset *jdPtr;
  const Offset *perm;
  Column *col;
  long long rows;
  long long columns; // diagonals per block
  long long parts;   // blocks that share the diagonals of a row
};

template <class Offset> struct JadPlaces {
  const Offset *jdPtr;
  long long place;
  __device__ bool has(long long k) const { return place < jdPtr[k + 1] - jdPtr[k]; }
  __device__ Slot at(long long k) const { return jadSlot(jdPtr[k], place); }
};

// Each block has kSetupBlock places and some of the diagonals.
template <class Index, class Offset, class Column, class Value>
__device__ __forceinline__ void jadFill(const JadFillArgs<Index, Offset, Column, Value> &a) {
  const long long tile = blockIdx.x / a.parts, part = blockIdx.x % a.parts;
  const long long place = tile * kSetupBlock + threadIdx.x;
  padRow(PadArrays<Index, Column, Value>{a.csrRowPtr, a.csrCol, a.entries, a.col},
         place < a.rows ? static_cast<long long>(a.perm[place]) : -1, part * a.columns,
         (part + 1) * a.columns, JadPlaces<Offset>{a.jdPtr, place});
}

} // namespace specmv
