// Counts the lines of slices (profile/line_features.cuh) in a sample of windows, with rows in their
// order and sorted by length. One block for each window.
#pragma once
#include "pack/line_reader.cuh"
#include "profile/row_tile.cuh"

namespace specmv {

// Adds the lines of a slice, of which each lane has a row, to the block's counts. Called by one
// warp.
template <class Index>
__device__ __forceinline__ void countSlice(const LineReader<Index> &row, unsigned *counts) {
  const int lines = min(row.lines(), int{kMostLines});
  LinesUpTo upTo = {};
#pragma unroll 1
  for (int line = 0; line < lines; ++line)
    upTo.add(row.bytes(line));
  if (threadIdx.x % 32 != 0)
    return;
  atomicAdd(counts, static_cast<unsigned>(lines));
#pragma unroll
  for (int i = 0; i < kMostOffsetBytes; ++i)
    atomicAdd(counts + 1 + i, static_cast<unsigned>(upTo.fours(i)));
}

// The number of rows of a window that come before row `own` if rows are sorted by descending
// length.
__device__ __forceinline__ int placeByLength(const unsigned *lengths, int rows, int own) {
  const unsigned length = lengths[own];
  int before = 0;
#pragma unroll 1
  for (int other = 0; other < rows; ++other)
    before += lengths[other] > length || (lengths[other] == length && other < own);
  return before;
}

// Counts the window that begins with row `first`.
template <class Args> __device__ __forceinline__ void profileLines(const Args &a, long long first) {
  constexpr int counts = 1 + kMostOffsetBytes;
  SPECMV_SHARED_ARRAY(unsigned, lengths, kLineWindow);
  SPECMV_SHARED_ARRAY(Int16, order, kLineWindow);
  SPECMV_SHARED_ARRAY(unsigned, sums, 2 * counts);
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = static_cast<int>(min(a.rows - first, static_cast<long long>(kLineWindow)));
  if (thread < 2 * counts)
    sums[thread] = 0;
  for (int i = thread; i < rows; i += kProfileBlock) {
    const long long length = rowLength(a.csrRowPtr, first + i);
    lengths[i] = static_cast<unsigned>(min(length, 0xffffffffLL));
  }
  __syncthreads();
  for (int i = thread; i < rows; i += kProfileBlock)
    order[placeByLength(lengths, rows, i)] = static_cast<Int16>(i);
  __syncthreads();
#pragma unroll 1
  for (int place = thread; place < kLineWindow; place += kProfileBlock) {
    const bool live = place < rows;
    countSlice(LineReader(a.csrRowPtr, a.csrCol, live, first + place), sums);
    countSlice(LineReader(a.csrRowPtr, a.csrCol, live, first + (live ? order[place] : 0)),
               sums + counts);
  }
  __syncthreads();
  if (thread < 2 * counts && sums[thread] > 0)
    atomicAdd(a.counts + kLines + thread, static_cast<Word64>(sums[thread]));
}

} // namespace specmv
