// Walks over all entries: fingerprint, bandwidth, distances, ranges of columns, diagonals; checks
// the columns. A block takes a run of neighbouring chunks of entries, however long the rows are.
#pragma once
#include "profile/counts.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct ProfileEntriesArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Word64 *counts;         // kProfileWords
  Word64 *rangeFirst;     // of kRangeRows rows: cols - the first column; 0: none
  Word64 *rangeLast;      // and the last column + 1
  unsigned *diagonalBits; // a bit for each diagonal, offset + rows
  long long rows, cols, nnz;
  long long chunksPerBlock;
};

// What one thread gathers.
struct EntriesFound {
  Word64 fingerprint0, fingerprint1, distSum;
  long long bandwidth;
  bool fault, unsorted;
};

// A table of diagonals in shared memory: keys are offset + 2^63, so that 0 is free.
struct DiagonalTable {
  Word64 *keys;
  unsigned *counts;
  int *used;

  // False if the table has no room.
  __device__ __forceinline__ bool add(Word64 key) const {
    int slot = static_cast<int>(mixBits(key) % kDiagonalSlots);
    for (int probe = 0; probe < kDiagonalSlots; ++probe) {
      Word64 found = loadRelaxed(keys + slot);
      if (found == 0) {
        if (loadRelaxed(used) >= kCountedDiagonals)
          return false;
        found = atomicCAS(keys + slot, Word64(0), key);
        if (found == 0)
          atomicAdd(used, 1);
      }
      if (found == 0 || found == key) {
        atomicAdd(counts + slot, 1U);
        return true;
      }
      slot = (slot + 1) % kDiagonalSlots;
    }
    return false;
  }
};

__device__ __forceinline__ void setDiagonal(unsigned *bits, long long diagonal) {
  unsigned *const word = bits + diagonal / 32;
  const unsigned bit = 1U << (diagonal % 32);
  if ((loadRelaxed(word) & bit) == 0)
    atomicOr(word, bit);
}

// The ranges of the columns that a chunk's rows have, in shared memory as long as there is room.
struct ChunkRanges {
  static constexpr int kRoom = 128;
  Word64 *first, *last; // in shared memory
  Word64 *allFirst, *allLast;
  long long begin; // the first range of the chunk

  __device__ __forceinline__ void addFirst(long long row, Word64 v) const {
    const long long at = row / kRangeRows - begin;
    atomicMax(at < kRoom ? first + at : allFirst + begin + at, v);
  }
  __device__ __forceinline__ void addLast(long long row, Word64 v) const {
    const long long at = row / kRangeRows - begin;
    atomicMax(at < kRoom ? last + at : allLast + begin + at, v);
  }
  // By all threads.
  __device__ __forceinline__ void flush() const {
    for (int at = static_cast<int>(threadIdx.x); at < kRoom; at += kProfileBlock) {
      if (first[at] > 0)
        atomicMax(allFirst + begin + at, first[at]);
      if (last[at] > 0)
        atomicMax(allLast + begin + at, last[at]);
      first[at] = last[at] = 0;
    }
  }
};

// A place in shared memory that spreads neighbours of one thread over the banks.
__device__ __forceinline__ int spread(int i) { return i + i / 32; }
constexpr int kSpreadChunk = kPerChunk + kPerChunk / 32;

// A row that a thread is in, and where its entries begin and end.
template <class Index> struct CurrentRow {
  const Index *rowPtr;
  long long endRow; // behind the last row of the block
  long long row, begin, end;

  // Goes on to the row of entry e, which is not before this one.
  __device__ __forceinline__ void moveTo(long long e) {
    if (e >= end) { // most often the entry is in the next row
      ++row;
      if (e >= rowPtr[row + 1])
        row += 1 + rowOfEntry(rowPtr + row + 1, endRow - row - 1, e);
    }
    begin = rowPtr[row];
    end = rowPtr[row + 1];
  }
};

// Looks at the entries begin .. end - 1, which are one thread's. `cols` has their columns from
// `local` on, and before them the one of entry begin - 1.
template <class Index>
__device__ __forceinline__ void
lookAtEntries(const ProfileEntriesArgs<Index> &a, long long begin, long long end, const Index *cols,
              int local, CurrentRow<Index> &at, const ChunkRanges &ranges,
              const DiagonalTable &table, bool &many, EntriesFound &found) {
  Word64 terms = 0; // of the columns of this row
  const auto closeRow = [&] {
    found.fingerprint0 += rowFactor(0, at.row) * terms;
    found.fingerprint1 += rowFactor(1, at.row) * terms;
    terms = 0;
  };
  for (long long e = begin; e < end; ++e, ++local) {
    if (e >= at.end) {
      closeRow();
      at.moveTo(e);
    }
    const long long col = cols[spread(local)];
    if (col < 0 || col >= a.cols) {
      found.fault = true;
      continue;
    }
    terms += columnTerm(col);
    const long long offset = col - at.row;
    found.bandwidth = max(found.bandwidth, offset < 0 ? -offset : offset);
    if (e == at.begin) {
      found.distSum -= static_cast<Word64>(col);
      ranges.addFirst(at.row, static_cast<Word64>(a.cols - col));
    } else if (cols[spread(local - 1)] > col) {
      found.unsorted = true;
    }
    if (e + 1 == at.end) {
      found.distSum += static_cast<Word64>(col);
      ranges.addLast(at.row, static_cast<Word64>(col + 1));
    }
    many = many || !table.add(static_cast<Word64>(offset) + (Word64(1) << 63));
    if (many)
      setDiagonal(a.diagonalBits, offset + a.rows);
  }
  closeRow();
}

// Adds one diagonal of a block to those of the matrix.
__device__ __forceinline__ void addDiagonal(Word64 *counts, Word64 key, unsigned entries) {
  int slot = static_cast<int>(mixBits(key) % kDiagonalSlots);
  for (int probe = 0; probe < kDiagonalSlots; ++probe) {
    const Word64 found = atomicCAS(counts + kDiagonalKeys + slot, Word64(0), key);
    if (found == 0 || found == key) {
      atomicAdd(counts + kDiagonalCounts + slot, static_cast<Word64>(entries));
      return;
    }
    slot = (slot + 1) % kDiagonalSlots;
  }
  atomicOr(counts + kManyDiagonals, Word64(1));
}

// The sum over the lanes of a warp, for lane 0.
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
  Word64 bandwidth = static_cast<Word64>(found.bandwidth);
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    bandwidth = max(bandwidth, __shfl_xor_sync(kFullMask, bandwidth, step));
  if (thread % 32 == 0)
    atomicMax(sums + 3, bandwidth);
  if (found.fault)
    atomicOr(counts + kColumnFault, Word64(1));
  if (found.unsorted)
    atomicOr(counts + kUnsorted, Word64(1));
  __syncthreads();
  if (thread < 3)
    atomicAdd(counts + kFingerprint + thread, sums[thread]);
  if (thread == 3)
    atomicMax(counts + kBandwidth, sums[3]);
}

static_assert(kDistSum == kFingerprint + 2, "addFound() adds three neighbours");

template <class Index>
__device__ __forceinline__ void profileEntries(const ProfileEntriesArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(Index, cols, kSpreadChunk + 2); // [0] is the entry before the chunk
  SPECMV_SHARED_ARRAY(Word64, firsts, ChunkRanges::kRoom);
  SPECMV_SHARED_ARRAY(Word64, lasts, ChunkRanges::kRoom);
  SPECMV_SHARED_ARRAY(Word64, keys, kDiagonalSlots);
  SPECMV_SHARED_ARRAY(unsigned, keyCounts, kDiagonalSlots);
  SPECMV_SHARED_ARRAY(int, used, 2); // slots of the table; whether there are too many diagonals
  SPECMV_SHARED_ARRAY(Word64, sums, 4);
  SPECMV_SHARED_ARRAY(long long, rowEnds, 2); // the rows of the block's first and last entry
  const int thread = static_cast<int>(threadIdx.x);
  const long long blockBegin = static_cast<long long>(blockIdx.x) * a.chunksPerBlock * kPerChunk;
  const long long blockEnd = min(blockBegin + a.chunksPerBlock * kPerChunk, a.nnz);
  if (a.counts[kRowFault] != 0 || blockBegin >= a.nnz)
    return;
  for (int i = thread; i < kDiagonalSlots; i += kProfileBlock)
    keys[i] = keyCounts[i] = 0;
  for (int i = thread; i < ChunkRanges::kRoom; i += kProfileBlock)
    firsts[i] = lasts[i] = 0;
  if (thread < 2) {
    used[thread] = 0;
    rowEnds[thread] = rowOfEntry(a.csrRowPtr, a.rows, thread == 0 ? blockBegin : blockEnd - 1);
  }
  if (thread < 4)
    sums[thread] = 0;
  __syncthreads();

  const DiagonalTable table{keys, keyCounts, used};
  CurrentRow<Index> at{a.csrRowPtr, rowEnds[1] + 1, rowEnds[0], a.csrRowPtr[rowEnds[0]],
                       a.csrRowPtr[rowEnds[0] + 1]};
  EntriesFound found{};
  bool many = false;
  for (long long begin = blockBegin; begin < blockEnd; begin += kPerChunk) {
    const int count = static_cast<int>(min(blockEnd - begin, static_cast<long long>(kPerChunk)));
    for (int i = thread; i <= count; i += kProfileBlock)
      cols[spread(i)] = begin + i > 0 ? loadOnce(a.csrCol + begin + i - 1) : Index(0);
    __syncthreads();
    at.moveTo(begin);
    const ChunkRanges ranges{firsts, lasts, a.rangeFirst, a.rangeLast, at.row / kRangeRows};
    const int local = thread * kPerThread;
    if (local < count) {
      at.moveTo(begin + local);
      lookAtEntries(a, begin + local, begin + min(local + kPerThread, count), cols, local + 1, at,
                    ranges, table, many, found);
    }
    __syncthreads();
    ranges.flush();
    many = many || loadRelaxed(used + 1) != 0;
    if (many && loadRelaxed(used + 1) == 0)
      atomicOr(used + 1, 1);
    __syncthreads();
  }
  addFound(a.counts, sums, found);
  if (used[1] != 0 && thread == 0)
    atomicOr(a.counts + kManyDiagonals, Word64(1));
  __syncthreads();
  const bool listed = loadRelaxed(a.counts + kManyDiagonals) == 0;
  for (int slot = thread; slot < kDiagonalSlots; slot += kProfileBlock)
    if (keys[slot] != 0) {
      setDiagonal(a.diagonalBits, static_cast<long long>(keys[slot] - (Word64(1) << 63)) + a.rows);
      if (listed)
        addDiagonal(a.counts, keys[slot], keyCounts[slot]);
    }
}

} // namespace specmv
