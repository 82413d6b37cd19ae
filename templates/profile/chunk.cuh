// A chunk of neighbouring entries in shared memory, and what is counted once a row of it.
#pragma once
#include "profile/counts.cuh"
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
  Word64 fingerprint0, fingerprint1, distSum;
  unsigned bandwidth;
  int descents; // entries with a smaller column than the one before, less those that begin a row
  bool fault;
};

// A place in shared memory that spreads the entries of one thread over the banks; i >= 0.
__device__ __forceinline__ int spread(int i) { return i + (i >> 5); }
constexpr int kSpreadChunk = kPerChunk + kPerChunk / 32 + 2;

// A chunk: the entries from `begin` on, `count` of them, the first of which lies in `firstRow`.
template <class Index> struct Chunk {
  const Index *cols; // in shared memory; place 0 is the entry before the chunk
  long long begin;
  int count;
  long long firstRow;

  // The column of the entry with this number in the chunk; -1: of the one before it.
  __device__ __forceinline__ Index col(int local) const { return cols[spread(local + 1)]; }
};

// Loads the columns of a chunk and of the entry before it, all in flight together.
template <class Index>
__device__ __forceinline__ void loadColumns(const ProfileEntriesArgs<Index> &a, long long begin,
                                            int count, Index *cols) {
  const int thread = static_cast<int>(threadIdx.x);
  const Index *from = a.csrCol + begin - 1 + thread;
  Index *to = cols + spread(thread);
#pragma unroll
  for (int i = 0; i <= kPerThread; ++i)
    if (thread + i * kProfileBlock <= count)
      to[i * (kProfileBlock + kProfileBlock / 32)] =
          i > 0 || thread > 0 || begin > 0 ? loadOnce(from + i * kProfileBlock) : Index(0);
}

// a - b, which may be too large only if a column is out of range.
__device__ __forceinline__ int difference(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) - static_cast<unsigned>(b));
}
__device__ __forceinline__ unsigned distance(int a, int b) {
  return static_cast<unsigned>(max(difference(a, b), difference(b, a)));
}

// The part of a row in a chunk, in numbers of the chunk: the entries first .. end - 1.
struct RowPart {
  int first, end;
  bool begins, ends; // whether the row begins and ends in the chunk
};
template <class Index>
__device__ __forceinline__ RowPart partOf(const ProfileEntriesArgs<Index> &a,
                                          const Chunk<Index> &chunk, long long row) {
  const auto begin = static_cast<Index>(chunk.begin);
  const auto rowBegin = static_cast<int>(a.csrRowPtr[row] - begin);
  const auto rowEnd = static_cast<int>(a.csrRowPtr[row + 1] - begin);
  return {max(rowBegin, 0), min(rowEnd, chunk.count), rowBegin >= 0, rowEnd <= chunk.count};
}

// What the range of a row gets from it; 0: nothing. Columns have 31 bits here.
struct RowRange {
  unsigned first, last;
};

// What is counted once a row, of its part in the chunk, which is not empty; `terms` is the sum of
// its terms.
template <class Index>
__device__ __forceinline__ RowRange lookAtRow(const ProfileEntriesArgs<Index> &a,
                                              const Chunk<Index> &chunk, long long row,
                                              const RowPart &part, Word64 terms,
                                              EntriesFound &found) {
  RowRange range{0, 0};
  found.fingerprint0 += rowFactor(0, row) * terms;
  found.fingerprint1 += rowFactor(1, row) * terms;
  const Index first = chunk.col(part.first), last = chunk.col(part.end - 1);
  const int firstCol = static_cast<int>(first), lastCol = static_cast<int>(last);
  const int at = static_cast<int>(row);
  if (part.begins) {
    found.descents -= chunk.begin + part.first > 0 && chunk.col(part.first - 1) > first;
    found.distSum -= static_cast<Word64>(first);
    found.bandwidth = max(found.bandwidth, distance(at, firstCol));
    range.first = static_cast<unsigned>(a.cols) - static_cast<unsigned>(firstCol);
  }
  if (part.ends) {
    found.distSum += static_cast<Word64>(last);
    found.bandwidth = max(found.bandwidth, distance(at, lastCol));
    range.last = static_cast<unsigned>(lastCol) + 1;
  }
  return range;
}

// Adds what the rows of a warp give their ranges. `row` is the lane's row; they begin with
// `firstRow`, are at most 32 neighbours, and so have at most two ranges.
template <class Index>
__device__ __forceinline__ void addRanges(const ProfileEntriesArgs<Index> &a, long long firstRow,
                                          long long row, const RowRange &own) {
  const long long range = firstRow / kRangeRows;
  const bool isSecond = row / kRangeRows != range;
  for (int k = 0; k < 2; ++k) {
    const bool mine = isSecond == (k == 1);
    const unsigned first = warpMax(mine ? own.first : 0U), last = warpMax(mine ? own.last : 0U);
    if (threadIdx.x % 32 == 0 && first > 0)
      atomicMax(rangeFirst(a) + range + k, static_cast<Word64>(first));
    if (threadIdx.x % 32 == 0 && last > 0)
      atomicMax(rangeLast(a) + range + k, static_cast<Word64>(last));
  }
}

} // namespace specmv
