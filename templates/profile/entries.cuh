// Walks over all entries: fingerprint, bandwidth, distances, ranges of columns, diagonals; checks
// the columns. A block takes a run of neighbouring chunks of entries, however long the rows are. Of
// a chunk, first each thread looks at some entries, then each at some rows: what is done once a row
// would otherwise hold up all lanes at every entry.
#pragma once
#include "profile/counts.cuh"
#include "profile/diagonals.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct ProfileEntriesArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Word64 *counts; // kProfileWords, then the ranges
  long long rows, cols, nnz, ranges;
  long long chunksPerBlock;
};

// Ranges of columns of kRangeRows rows: cols - the first column (0: none), and the last column + 1.
template <class Args> __device__ __forceinline__ Word64 *rangeFirst(const Args &a) {
  return a.counts + kProfileWords;
}
template <class Args> __device__ __forceinline__ Word64 *rangeLast(const Args &a) {
  return a.counts + kProfileWords + a.ranges;
}

// What one thread gathers.
struct EntriesFound {
  Word64 fingerprint0, fingerprint1, distSum, bandwidth;
  int descents; // entries with a smaller column than the one before, less those that begin a row
  bool fault;
};

// A place in shared memory that spreads the entries of one thread over the banks.
__device__ __forceinline__ int spread(int i) { return i + i / 32; }
constexpr int kSpreadChunk = kPerChunk + kPerChunk / 32 + 2;

// The shared memory of a block. Entry 0 of `cols` and `terms` is the one before the chunk.
template <class Index> struct EntriesShared {
  Index *cols;
  Word64 *terms; // sums of columnTerm() up to each entry, since the first one of its thread
  Word64 *bases; // the same up to the first entry of each thread
};

// One thread's entries: those of the chunk from `first` to `end` - 1. Returns the sum of their
// terms.
template <class Index>
__device__ __forceinline__ Word64 lookAtEntries(const ProfileEntriesArgs<Index> &a,
                                                const EntriesShared<Index> &shared, long long begin,
                                                int first, int end, long long row,
                                                const DiagonalTable &table, bool &many,
                                                EntriesFound &found) {
  // In 32 bits, as far as it goes: an entry costs some hundred instructions otherwise.
  const auto endOf = [&](int at) {
    return static_cast<int>(min(a.csrRowPtr[at + 1] - begin, static_cast<long long>(kPerChunk)));
  };
  Word64 sum = 0;
  Index before = shared.cols[spread(first)];
  int at = static_cast<int>(row), rowEnd = endOf(at);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int local = first + i;
    if (local >= end)
      break;
    while (local >= rowEnd)
      rowEnd = endOf(++at);
    const Index col = shared.cols[spread(local + 1)];
    found.fault = found.fault || col < 0 || col >= a.cols;
    found.descents += before > col;
    before = col;
    sum += columnTerm(col);
    shared.terms[spread(local + 1)] = sum;
    if (!many)
      many = !table.add(static_cast<int>(col) - at);
  }
  return sum;
}

// The sum of the terms of the chunk's entries up to this one; 0 for -1.
template <class Index>
__device__ __forceinline__ Word64 termsUpTo(const EntriesShared<Index> &shared, int local) {
  return local < 0 ? 0 : shared.terms[spread(local + 1)] + shared.bases[local / kPerThread];
}

// What the range of a row gets from it; 0: nothing. Columns have 31 bits here.
struct RowRange {
  unsigned first, last;
};

// What is counted once a row, of the part of the row that is in the chunk.
template <class Index>
__device__ __forceinline__ RowRange lookAtRow(const ProfileEntriesArgs<Index> &a,
                                              const EntriesShared<Index> &shared, long long begin,
                                              int count, long long row, EntriesFound &found) {
  const long long rowBegin = a.csrRowPtr[row] - begin, rowEnd = a.csrRowPtr[row + 1] - begin;
  const int first = static_cast<int>(max(rowBegin, 0LL));
  const int end = static_cast<int>(min(rowEnd, static_cast<long long>(count)));
  RowRange range{0, 0};
  if (first >= end)
    return range;
  const Word64 terms = termsUpTo(shared, end - 1) - termsUpTo(shared, first - 1);
  found.fingerprint0 += rowFactor(0, row) * terms;
  found.fingerprint1 += rowFactor(1, row) * terms;
  const long long firstCol = shared.cols[spread(first + 1)];
  const long long lastCol = shared.cols[spread(end)];
  const long long below = row - firstCol, above = lastCol - row;
  if (rowBegin >= 0) {
    found.descents -= begin + first > 0 && shared.cols[spread(first)] > firstCol;
    found.distSum -= static_cast<Word64>(firstCol);
    found.bandwidth = max(found.bandwidth, static_cast<Word64>(below < 0 ? -below : below));
    range.first = static_cast<unsigned>(a.cols - firstCol);
  }
  if (rowEnd <= count) {
    found.distSum += static_cast<Word64>(lastCol);
    found.bandwidth = max(found.bandwidth, static_cast<Word64>(above < 0 ? -above : above));
    range.last = static_cast<unsigned>(lastCol + 1);
  }
  return range;
}

// Adds what the neighbouring rows of a warp, from `firstRow` on, give their ranges, of which there
// are at most two.
template <class Index>
__device__ __forceinline__ void addRanges(const ProfileEntriesArgs<Index> &a, long long firstRow,
                                          const RowRange &own) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long range = firstRow / kRangeRows;
  const bool isSecond = (firstRow + lane) / kRangeRows != range;
  for (int k = 0; k < 2; ++k) {
    const bool mine = isSecond == (k == 1);
    const unsigned first = warpMax(mine ? own.first : 0U), last = warpMax(mine ? own.last : 0U);
    if (lane == 0 && first > 0)
      atomicMax(rangeFirst(a) + range + k, static_cast<Word64>(first));
    if (lane == 0 && last > 0)
      atomicMax(rangeLast(a) + range + k, static_cast<Word64>(last));
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
  Word64 bandwidth = found.bandwidth;
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    bandwidth = max(bandwidth, __shfl_xor_sync(kFullMask, bandwidth, step));
  if (thread % 32 == 0)
    atomicMax(sums + 4, bandwidth);
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
  const int thread = static_cast<int>(threadIdx.x);
  const long long blockBegin = static_cast<long long>(blockIdx.x) * a.chunksPerBlock * kPerChunk;
  const long long blockEnd = min(blockBegin + a.chunksPerBlock * kPerChunk, a.nnz);
  if (a.counts[kRowFault] != 0 || blockBegin >= a.nnz)
    return;
  for (int i = thread; i < kDiagonalSlots; i += kProfileBlock)
    offsets[i] = DiagonalTable::kFree;
  for (int i = thread; i < DiagonalTable::kCopies * kDiagonalSlots; i += kProfileBlock)
    offsetCounts[i] = 0;
  if (thread < 2) {
    flags[thread] = 0;
    rowEnds[thread] = rowOfEntry(a.csrRowPtr, a.rows, thread == 0 ? blockBegin : blockEnd - 1);
  }
  if (thread < 5)
    sums[thread] = 0;
  __syncthreads();

  const EntriesShared<Index> shared{cols, terms, bases};
  const DiagonalTable table{offsets, offsetCounts, flags};
  const long long endRow = rowEnds[1] + 1;
  EntriesFound found{};
  long long firstRow = rowEnds[0];
  for (long long begin = blockBegin; begin < blockEnd; begin += kPerChunk) {
    const int count = static_cast<int>(min(blockEnd - begin, static_cast<long long>(kPerChunk)));
#pragma unroll
    for (int i = 0; i <= kPerThread; ++i)
      if (const int local = thread + i * kProfileBlock; local <= count)
        cols[spread(local)] = begin + local > 0 ? loadOnce(a.csrCol + begin + local - 1) : Index(0);
    bool many = loadRelaxed(flags + 1) != 0 || loadRelaxed(a.counts + kManyDiagonals) != 0;
    __syncthreads();
    const int firstOwn = thread * kPerThread;
    Word64 own = 0;
    if (firstOwn < count) {
      const long long row =
          firstRow + rowOfEntry(a.csrRowPtr + firstRow, endRow - firstRow, begin + firstOwn);
      own = lookAtEntries(a, shared, begin, firstOwn, min(firstOwn + kPerThread, count), row, table,
                          many, found);
      if (firstOwn + kPerThread >= count)
        rowEnds[2] = row + rowOfEntry(a.csrRowPtr + row, endRow - row, begin + count - 1);
      if (many)
        atomicOr(flags + 1, 1);
    }
    Word64 total;
    bases[thread] = blockScan<kProfileBlock>(own, warpSums, total);
    __syncthreads();
    const long long lastRow = rowEnds[2];
    for (long long first = firstRow + thread / 32 * 32; first <= lastRow; first += kProfileBlock) {
      const long long row = first + thread % 32;
      RowRange range{0, 0};
      if (row <= lastRow)
        range = lookAtRow(a, shared, begin, count, row, found);
      addRanges(a, first, range);
    }
    firstRow = lastRow;
    __syncthreads();
  }
  addFound(a.counts, sums, found);
  table.addTo(a.counts, flags[1] != 0);
}

} // namespace specmv
