// Packs entries of a matrix as triplets (templates/coo.cuh): the tail, which is the entries beyond
// the first k of their row, in the order of the matrix.
#pragma once
#include "pack/entries.cuh"
#include "pack/merge_search.cuh"

namespace specmv {

template <class Index> struct TailCountsArgs {
  const Index *csrRowPtr;
  Index *tailStart; // rows + 1; receives the number of each row's entries beyond k
  long long rows, k;
};

template <class Index> __device__ __forceinline__ void tailCounts(const TailCountsArgs<Index> &a) {
  const long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (row < a.rows)
    a.tailStart[row] =
        static_cast<Index>(max(rowLength(a.csrRowPtr, row) - a.k, static_cast<long long>(0)));
}

template <class Index, class Offset, class Column, class Value> struct TripletFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries; // triplet i has slot valBegin + i
  const Index *tailStart; // by row: the first of its triplets; then their total number
  Offset *row;
  Column *col;
  long long rows, count, k, valBegin;
};

// Returns how many of the ascending numbers are not greater than `at`.
__device__ __forceinline__ int numberUpTo(const int *numbers, int count, int at) {
  int low = 0;
  while (low < count) {
    const int middle = low + (count - low) / 2;
    if (numbers[middle] <= at)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

// Blocks share the merge path of rows and triplets, so that neither a long row nor many rows
// without triplets delay a block. A triplet finds its row among the ends of the block's rows.
template <class Index, class Offset, class Column, class Value>
__device__ __forceinline__ void
tripletFill(const TripletFillArgs<Index, Offset, Column, Value> &a) {
  SPECMV_SHARED_ARRAY(int, rowEnds, kTripletItems);
  SPECMV_SHARED_ARRAY(long long, rows, 2);
  const MergePath<Index> merge{a.tailStart, a.rows, a.count};
  const long long first = static_cast<long long>(blockIdx.x) * kTripletItems;
  const int thread = static_cast<int>(threadIdx.x);
  blockRowsOf(merge, first, first + kTripletItems, rows);
  const long long firstRow = rows[0], begin = first - firstRow;
  const int ended = static_cast<int>(min(rows[1], a.rows) - firstRow);
  for (int i = thread; i < ended; i += kSetupBlock)
    rowEnds[i] = static_cast<int>(a.tailStart[firstRow + i + 1] - begin);
  __syncthreads();

  const int count = static_cast<int>(first + kTripletItems - rows[1] - begin);
  for (int i = thread; i < count; i += kSetupBlock) {
    const long long row = firstRow + numberUpTo(rowEnds, ended, i), at = begin + i;
    const long long entry = at - a.tailStart[row] + a.csrRowPtr[row] + a.k;
    a.row[at] = static_cast<Offset>(row);
    a.col[at] = static_cast<Column>(a.csrCol[entry]);
    a.entries.put(a.valBegin + at, a.entries.item(true, entry));
  }
}

template <class Index, class Offset> struct TripletOpenRowsArgs {
  const Index *tailStart;
  const Offset *row;
  unsigned *openFirst, *openLast;
  long long count;
  long long share; // triplets per block of the product
  long long boundaries;
};

// One thread per boundary between blocks.
template <class Index, class Offset>
__device__ __forceinline__ void tripletOpenRows(const TripletOpenRowsArgs<Index, Offset> &a) {
  const long long boundary = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (boundary >= a.boundaries)
    return;
  SharedBy blocks{boundary, boundary};
  if (boundary * a.share < a.count) {
    const Offset row = a.row[boundary * a.share];
    blocks = sharedBy(boundary, a.tailStart[row], a.tailStart[row + 1] - 1, a.share);
  }
  a.openFirst[boundary] = static_cast<unsigned>(blocks.first);
  a.openLast[boundary] = static_cast<unsigned>(blocks.last);
}

} // namespace specmv
