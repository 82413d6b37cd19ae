// Permutes the rows and columns of a matrix: rows take their entries along, and these are sorted by
// their new columns.
#pragma once
#include "setup/block.cuh"

namespace specmv {

// Finds the place of each row of the matrix among the permuted rows, and the lengths of those,
// which a scan turns into their starts.
template <class Index> struct PermuteRowsArgs {
  const Index *csrRowPtr;
  const int *rowAt; // the row of the matrix at each place
  int *placeOf;
  Index *rowPtr; // rows + 1
  long long rows;
};

template <class Index>
__device__ __forceinline__ void permuteRows(const PermuteRowsArgs<Index> &a) {
  const long long place = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (place >= a.rows)
    return;
  const int row = a.rowAt[place];
  a.placeOf[row] = static_cast<int>(place);
  a.rowPtr[place] = static_cast<Index>(rowLength(a.csrRowPtr, row));
}

template <class Index, class Value> struct PermuteEntriesArgs {
  const Index *csrRowPtr, *csrCol;
  const Value *csrVal; // null if there are no values
  const int *rowAt, *placeOf;
  const Index *rowPtr;
  Index *col;
  Value *val;
  unsigned *entryAt; // the entry of the matrix at each place; null if nobody needs it
  long long rows;
};

// A warp sorts a row: the place of an entry is the number of entries that come before it.
template <class Index, class Value>
__device__ __forceinline__ void permuteEntries(const PermuteEntriesArgs<Index, Value> &a) {
  SPECMV_SHARED_ARRAY(int, columns, kPermutedRows *kMostPermutedRow);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  int *const own = columns + warp * kMostPermutedRow;
  const long long place = static_cast<long long>(blockIdx.x) * kPermutedRows + warp;
  if (place >= a.rows)
    return;
  const int row = a.rowAt[place];
  const Index first = a.csrRowPtr[row], to = a.rowPtr[place];
  const int count = static_cast<int>(rowLength(a.csrRowPtr, row));
  for (int i = lane; i < count; i += 32)
    own[i] = a.placeOf[a.csrCol[first + i]];
  __syncwarp();
  for (int i = lane; i < count; i += 32) {
    const int column = own[i];
    int before = 0;
    for (int j = 0; j < count; ++j)
      before += own[j] < column || (own[j] == column && j < i);
    a.col[to + before] = static_cast<Index>(column);
    if (a.csrVal)
      a.val[to + before] = a.csrVal[first + i];
    if (a.entryAt)
      a.entryAt[to + before] = static_cast<unsigned>(first + i);
  }
}

// Gives the entries of the matrix the slots that packing gave the permuted entries.
struct UnpermuteSlotsArgs {
  const unsigned *permutedSlots, *entryAt;
  unsigned *slots;
  long long nnz;
};

__device__ __forceinline__ void unpermuteSlots(const UnpermuteSlotsArgs &a) {
  const long long place = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (place < a.nnz)
    a.slots[a.entryAt[place]] = a.permutedSlots[place];
}

} // namespace specmv
