// Packs a matrix for ELL (templates/ell.cuh), or the first entries of its rows.
#pragma once
#include "pack/padded.cuh"

namespace specmv {

template <class Index, class Column, class Value> struct EllFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  Column *col;
  long long rows, stride, width;
  long long parts; // blocks that share the columns of a row
};

struct EllPlaces {
  long long row, stride, width;
  __device__ bool has(long long k) const { return k < width; }
  __device__ Slot at(long long k) const { return ellSlot(row, k, stride); }
};

// Each block has kSetupBlock rows and kPadColumns of their columns.
template <class Index, class Column, class Value>
__device__ __forceinline__ void ellFill(const EllFillArgs<Index, Column, Value> &a) {
  const long long tile = blockIdx.x / a.parts, part = blockIdx.x % a.parts;
  const long long row = tile * kSetupBlock + threadIdx.x;
  if (row < a.stride)
    padRow(PadArrays<Index, Column, Value>{a.csrRowPtr, a.csrCol, a.entries, a.col},
           row < a.rows ? row : -1, part * kPadColumns, (part + 1) * kPadColumns,
           EllPlaces{row, a.stride, a.width});
}

} // namespace specmv
