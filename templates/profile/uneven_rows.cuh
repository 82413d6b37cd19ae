// Walks over the entries of a chunk however long its rows are: first each thread looks at
// neighbouring entries, then each at some rows.
#pragma once
#include "profile/chunk.cuh"
#include "profile/diagonals.cuh"

namespace specmv {

// Sums of the terms of a chunk, in shared memory.
struct TermSums {
  Word64 *upTo;  // each entry, since the first one of its thread; kSpreadChunk
  Word64 *bases; // up to the first entry of each thread; kProfileBlock

  // Up to this entry; 0 for -1.
  __device__ __forceinline__ Word64 at(int local) const {
    return local < 0 ? 0 : upTo[spread(local)] + bases[local / kPerThread];
  }
};

// One thread's entries, from number `first` of the chunk on. Returns the sum of their terms.
// `many` is set if there are more diagonals than are counted.
template <class Index>
__device__ __forceinline__ Word64 lookAtEntries(const ProfileEntriesArgs<Index> &a,
                                                const Chunk<Index> &chunk, const TermSums &sums,
                                                int first, const DiagonalTable &table, bool &many) {
  const auto begin = static_cast<Index>(chunk.begin);
  const auto endOf = [&](int row) { return static_cast<int>(a.csrRowPtr[row + 1] - begin); };
  const Index *rowPtr = a.csrRowPtr + chunk.firstRow;
  const long long rows = chunk.lastRow + 1 - chunk.firstRow;
  int row = static_cast<int>(chunk.firstRow + rowOfEntry(rowPtr, rows, chunk.begin + first));
  int rowEnd = endOf(row);
  Word64 sum = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int local = first + i;
    if (local >= chunk.count)
      break;
    while (local >= rowEnd)
      rowEnd = endOf(++row);
    const Index col = chunk.col(local);
    sum += columnTerm(col);
    sums.upTo[spread(local)] = sum;
    if (!many)
      many = !table.add(difference(static_cast<int>(col), row), 1);
  }
  return sum;
}

// The walk, by all threads of a block. `many` and the result tell that there are more diagonals
// than are counted; the latter is each thread's own.
template <class Index>
__device__ __forceinline__ bool
walkUnevenRows(const ProfileEntriesArgs<Index> &a, const Chunk<Index> &chunk, const TermSums &sums,
               Word64 (&warpSums)[33], const DiagonalTable &table, bool many, EntriesFound &found) {
  const int thread = static_cast<int>(threadIdx.x), firstOwn = thread * kPerThread;
  Word64 own = 0, total;
  if (firstOwn < chunk.count)
    own = lookAtEntries(a, chunk, sums, firstOwn, table, many);
  sums.bases[thread] = blockScan<kProfileBlock>(own, warpSums, total);
  __syncthreads();
  for (long long first = chunk.firstRow + thread / 32 * 32; first <= chunk.lastRow;
       first += kProfileBlock) {
    const long long row = first + thread % 32;
    RowRange range{0, 0};
    if (row <= chunk.lastRow)
      if (const RowPart part = partOf(a, chunk, row); part.first < part.end)
        range =
            lookAtRow(a, chunk, row, part, sums.at(part.end - 1) - sums.at(part.first - 1), found);
    addRanges(a, first, row, range);
  }
  return many;
}

} // namespace specmv
