// Walks over all entries: fingerprint, bandwidth, distances, ranges of columns, diagonals; checks
// the columns. A block takes a run of neighbouring chunks of entries, however long the rows are. Of
// a chunk, first each thread looks at some entries, then each at some rows: what is done once a row
// would otherwise hold up all lanes at every entry.
#pragma once
#include "profile/chunk.cuh"
#include "profile/diagonals.cuh"
#include "setup/row_search.cuh"

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

// One thread's entries, from number `first` of the chunk on, which lies in `row`. Returns the sum
// of their terms. `many` is set if there are more diagonals than are counted.
template <class Index>
__device__ __forceinline__ Word64 lookAtEntries(const ProfileEntriesArgs<Index> &a,
                                                const Chunk<Index> &chunk, const TermSums &sums,
                                                int first, long long row,
                                                const DiagonalTable &table, bool &many,
                                                EntriesFound &found) {
  // In 32 bits, as far as it goes: an entry costs some hundred instructions otherwise.
  const auto begin = static_cast<Index>(chunk.begin), limit = static_cast<Index>(a.cols);
  const auto endOf = [&](int of) { return static_cast<int>(a.csrRowPtr[of + 1] - begin); };
  int at = static_cast<int>(row), rowEnd = endOf(at);
  Word64 sum = 0;
  Index before = chunk.col(first - 1);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int local = first + i;
    if (local >= chunk.count)
      break;
    while (local >= rowEnd)
      rowEnd = endOf(++at);
    const Index col = chunk.col(local);
    found.fault = found.fault || col < 0 || col >= limit;
    found.descents += before > col;
    before = col;
    sum += columnTerm(col);
    sums.upTo[spread(local)] = sum;
    if (!many)
      many = !table.add(difference(static_cast<int>(col), at));
  }
  return sum;
}

// One thread's rows of a chunk, up to the last one of it.
template <class Index>
__device__ __forceinline__ void lookAtRows(const ProfileEntriesArgs<Index> &a,
                                           const Chunk<Index> &chunk, const TermSums &sums,
                                           long long lastRow, EntriesFound &found) {
  const int thread = static_cast<int>(threadIdx.x);
  for (long long first = chunk.firstRow + thread / 32 * 32; first <= lastRow;
       first += kProfileBlock) {
    const long long row = first + thread % 32;
    RowRange range{0, 0};
    if (row <= lastRow)
      if (const RowPart part = partOf(a, chunk, row); part.first < part.end)
        range =
            lookAtRow(a, chunk, row, part, sums.at(part.end - 1) - sums.at(part.first - 1), found);
    addRanges(a, first, row, range);
  }
}

// The sum over the lanes of a warp, added by its first lane.
__device__ __forceinline__ void addByWarp(Word64 *to, Word64 v) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_xor_sync(kFullMask, v, step);
  if (threadIdx.x % 32 == 0)
    atomicAdd(to, v);
}

// Adds what a block's threads found to the counts of the matrix, by way of shared memory.
__device__ __forceinline__ void addFound(Word64 *counts, Word64 *sums, const EntriesFound &found) {
  const int thread = static_cast<int>(threadIdx.x);
  addByWarp(sums, found.fingerprint0);
  addByWarp(sums + 1, found.fingerprint1);
  addByWarp(sums + 2, found.distSum);
  addByWarp(sums + 3, static_cast<Word64>(static_cast<long long>(found.descents)));
  const unsigned bandwidth = warpMax(found.bandwidth);
  if (thread % 32 == 0)
    atomicMax(sums + 4, static_cast<Word64>(bandwidth));
  if (found.fault)
    atomicOr(counts + kColumnFault, Word64(1));
  __syncthreads();
  if (thread < 4)
    atomicAdd(counts + kFingerprint + thread, sums[thread]);
  if (thread == 4)
    atomicMax(counts + kBandwidth, sums[4]);
}
static_assert(kDistSum == kFingerprint + 2 && kUnsorted == kFingerprint + 3,
              "addFound() adds four neighbours");

template <class Index>
__device__ __forceinline__ void profileEntries(const ProfileEntriesArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(Index, cols, kSpreadChunk);
  SPECMV_SHARED_ARRAY(Word64, terms, kSpreadChunk);
  SPECMV_SHARED_ARRAY(Word64, bases, kProfileBlock);
  SPECMV_SHARED_ARRAY(Word64, warpSums, 33);
  SPECMV_SHARED_ARRAY(int, offsets, kDiagonalSlots);
  SPECMV_SHARED_ARRAY(unsigned, offsetCounts, DiagonalTable::kCopies *kDiagonalSlots);
  SPECMV_SHARED_ARRAY(int, flags, 2); // diagonals in the table; whether there are too many
  SPECMV_SHARED_ARRAY(Word64, sums, 5);
  SPECMV_SHARED_ARRAY(long long, rowEnds, 3); // rows: of the block's first and last entry, chunk's
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const long long blockBegin = static_cast<long long>(blockIdx.x) * a.chunksPerBlock * kPerChunk;
  const long long blockEnd = min(blockBegin + a.chunksPerBlock * kPerChunk, a.nnz);
  if (a.counts[kRowFault] != 0 || blockBegin >= a.nnz)
    return;
  for (int i = thread; i < kDiagonalSlots; i += kProfileBlock)
    offsets[i] = DiagonalTable::kFree;
  for (int i = thread; i < DiagonalTable::kCopies * kDiagonalSlots; i += kProfileBlock)
    offsetCounts[i] = 0;
  if (thread < 2)
    flags[thread] = 0;
  if (thread < 5)
    sums[thread] = 0;
  if (warp < 2) {
    const long long entry = warp == 0 ? blockBegin : blockEnd - 1;
    const long long row = warpRowOfEntry(a.csrRowPtr, a.rows, entry);
    if (thread % 32 == 0)
      rowEnds[warp] = row;
  }
  __syncthreads();

  const DiagonalTable table{offsets, offsetCounts, flags};
  const TermSums termSums{terms, bases};
  const long long endRow = rowEnds[1] + 1;
  EntriesFound found{};
  Chunk<Index> chunk{cols, blockBegin, 0, rowEnds[0]};
  for (; chunk.begin < blockEnd; chunk.begin += kPerChunk) {
    chunk.count = static_cast<int>(min(blockEnd - chunk.begin, static_cast<long long>(kPerChunk)));
    loadColumns(a, chunk.begin, chunk.count, cols);
    bool many = loadRelaxed(flags + 1) != 0 || loadRelaxed(a.counts + kManyDiagonals) != 0;
    __syncthreads();
    const int first = thread * kPerThread;
    Word64 own = 0;
    if (first < chunk.count) {
      const long long row =
          chunk.firstRow +
          rowOfEntry(a.csrRowPtr + chunk.firstRow, endRow - chunk.firstRow, chunk.begin + first);
      own = lookAtEntries(a, chunk, termSums, first, row, table, many, found);
      if (first + kPerThread >= chunk.count)
        rowEnds[2] =
            row + rowOfEntry(a.csrRowPtr + row, endRow - row, chunk.begin + chunk.count - 1);
      if (many)
        atomicOr(flags + 1, 1);
    }
    Word64 total;
    bases[thread] = blockScan<kProfileBlock>(own, warpSums, total);
    __syncthreads();
    const long long lastRow = rowEnds[2];
    lookAtRows(a, chunk, termSums, lastRow, found);
    chunk.firstRow = lastRow;
    __syncthreads();
  }
  addFound(a.counts, sums, found);
  table.addTo(a.counts, flags[1] != 0);
}

} // namespace specmv
