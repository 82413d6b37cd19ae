// Counts the lines of slices (profile/line_features.cuh) in a sample of windows, with rows in their
// order and sorted by length. Several blocks share a window if there are few.
#pragma once
#include "pack/line_reader.cuh"
#include "profile/row_tile.cuh"
#include "setup/sort.cuh"

namespace specmv {

enum : int {
  kLineSlices = int{kLineWindow} / int{kLineRows},
  kLineWarps = kProfileBlock / 32,
  kColumnsAtOnce = 4, // that a lane loads before it uses the first
};

// Adds a warp's share of a slice's lines to its counts. The warps of a block divide the lines of a
// slice into pieces; this one begins with the piece `piece`.
template <class Index>
__device__ __forceinline__ void countPieces(const LineReader<Index> &row, int piece,
                                            unsigned *counts) {
  const int lines = min(row.lines(), int{kMostLines});
  LinesUpTo upTo = {};
#pragma unroll 1
  for (int line = piece * kColumnsAtOnce; line < lines; line += kLineWarps * kColumnsAtOnce) {
    int columns[kColumnsAtOnce];
#pragma unroll
    for (int i = 0; i < kColumnsAtOnce; ++i)
      columns[i] = row.columnOrNone(line + i);
#pragma unroll
    for (int i = 0; i < kColumnsAtOnce; ++i)
      if (line + i < lines)
        upTo.add(bytesOfLine(columns[i]));
  }
  if (threadIdx.x % 32 == 0 && upTo.lines() > 0)
#pragma unroll
    for (int i = 0; i < kMostOffsetBytes; ++i)
      atomicAdd(counts + i, static_cast<unsigned>(upTo.at[i]));
}

// A key by which rows of a window are sorted by descending length; those of equal length keep their
// order. Places without a row come last.
__device__ __forceinline__ unsigned lineKey(long long length, int row) {
  return static_cast<unsigned>(kMostLines + 1 - length) * kLineWindow + static_cast<unsigned>(row);
}
__device__ __forceinline__ int rowOfKey(unsigned key) {
  return static_cast<int>(key % kLineWindow);
}

// Adds what the pieces of a slice found to the sums of its order: the lines, and the fours with
// each number of bytes.
__device__ __forceinline__ void addSlice(const unsigned *found, unsigned *sums) {
  LinesUpTo upTo;
#pragma unroll
  for (int i = 0; i < kMostOffsetBytes; ++i)
    upTo.at[i] = static_cast<int>(found[i]);
  atomicAdd(sums, static_cast<unsigned>(upTo.lines()));
#pragma unroll
  for (int i = 0; i < kMostOffsetBytes; ++i)
    atomicAdd(sums + 1 + i, static_cast<unsigned>(upTo.fours(i)));
}

// Counts every `parts`-th slice of the window that begins with row `first`, from slice `part` on.
template <class Args>
__device__ __forceinline__ void profileLines(const Args &a, long long first, int part, int parts) {
  constexpr int kOrders = 2, counts = 1 + kMostOffsetBytes;
  SPECMV_SHARED_ARRAY(unsigned, keys, kLineWindow);
  SPECMV_SHARED_ARRAY(unsigned, found, kOrders *kLineSlices *kMostOffsetBytes);
  SPECMV_SHARED_ARRAY(unsigned, sums, kOrders *counts);
  SPECMV_SHARED_ARRAY(int, isUneven, 1);
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = static_cast<int>(min(a.rows - first, static_cast<long long>(kLineWindow)));
  for (int i = thread; i < kOrders * kLineSlices * kMostOffsetBytes; i += kProfileBlock)
    found[i] = 0;
  if (thread < kOrders * counts)
    sums[thread] = 0;
  if (thread == 0)
    isUneven[0] = 0;
  __syncthreads();
  const long long length = rowLength(a.csrRowPtr, first);
  for (int i = thread; i < kLineWindow; i += kProfileBlock) {
    const long long own = i < rows ? rowLength(a.csrRowPtr, first + i) : 0;
    keys[i] = lineKey(lengthForOrder(own), i);
    if (i < rows && own != length)
      atomicOr(isUneven, 1);
  }
  __syncthreads();
  // Rows that are equally long are in the order of their lengths.
  const int orders = isUneven[0] ? kOrders : 1;
  if (orders > 1)
    sortKeys<kProfileBlock>(keys, kLineWindow, thread);
  int turn = thread / 32; // of this warp among the pieces of all slices
  for (int slice = part; slice < kLineSlices; slice += parts)
    for (int of = 0; of < orders; ++of, ++turn) {
      const int place = slice * kLineRows + thread % 32;
      const bool live = place < rows;
      const int row = of > 0 ? rowOfKey(keys[place]) : place;
      countPieces(LineReader(a.csrRowPtr, a.csrCol, live, first + row), turn % kLineWarps,
                  found + (of * kLineSlices + slice) * kMostOffsetBytes);
    }
  __syncthreads();
  if (thread < kOrders * kLineSlices) {
    const int of = thread / kLineSlices, slice = thread % kLineSlices;
    if (slice % parts == part)
      addSlice(found + ((of < orders ? of : 0) * kLineSlices + slice) * kMostOffsetBytes,
               sums + of * counts);
  }
  __syncthreads();
  if (thread < kOrders * counts && sums[thread] > 0)
    atomicAdd(a.counts + kLines + thread, static_cast<Word64>(sums[thread]));
}

} // namespace specmv
