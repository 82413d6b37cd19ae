// Walks over all entries: fingerprint, bandwidth, distances, ranges of columns, diagonals; checks
// the columns. A block takes a run of neighbouring chunks of entries, however long the rows are,
// and walks over each in the way that suits its rows.
#pragma once
#include "profile/even_rows.cuh"
#include "profile/uneven_rows.cuh"
#include "setup/row_search.cuh"

namespace specmv {

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
  // Diagonals in the table; whether there are too many; the last chunk with a long row, from 1 on.
  SPECMV_SHARED_ARRAY(int, flags, 3);
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
  if (thread < 3)
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
  const long long endRow = rowEnds[1] + 1;
  EntriesFound found{};
  Chunk<Index> chunk{cols, blockBegin, 0, rowEnds[0], 0};
  for (int number = 1; chunk.begin < blockEnd; ++number, chunk.begin += kPerChunk) {
    chunk.count = static_cast<int>(min(blockEnd - chunk.begin, static_cast<long long>(kPerChunk)));
    if (warp == 0) {
      const long long last = chunk.begin + chunk.count - 1;
      const long long row =
          warpRowOfEntry(a.csrRowPtr + chunk.firstRow, endRow - chunk.firstRow, last);
      if (thread == 0)
        rowEnds[2] = chunk.firstRow + row;
    }
    loadColumns(a, chunk.begin, chunk.count, cols, found);
    const bool wasMany = loadRelaxed(flags + 1) != 0 || loadRelaxed(a.counts + kManyDiagonals) != 0;
    bool many = __ballot_sync(kFullMask, wasMany) != 0; // of the warp
    __syncthreads();
    chunk.lastRow = rowEnds[2];
    const int laneBits = laneBitsOf(chunk);
    if (hasLongRow(a, chunk, laneBits))
      atomicMax(flags + 2, number);
    __syncthreads();
    if (loadRelaxed(flags + 2) != number)
      many = walkEvenRows(a, chunk, laneBits, table, many, found);
    else
      many = walkUnevenRows(a, chunk, {terms, bases}, warpSums, table, many, found);
    if (many)
      atomicOr(flags + 1, 1);
    chunk.firstRow = chunk.lastRow;
    __syncthreads();
  }
  addFound(a.counts, sums, found);
  table.addTo(a.counts, flags[1] != 0);
}

} // namespace specmv
