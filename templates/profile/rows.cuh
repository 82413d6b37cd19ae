// Counts row lengths and the size of sliced ELL, from rowPtr alone.
#pragma once
#include "profile/slices.cuh"

namespace specmv {

template <class Index> struct ProfileRowsArgs {
  const Index *csrRowPtr;
  Word64 *counts;  // kProfileWords
  Word64 *listed;  // nnz / kCountedLengths + 1: lengths of the long rows, in any order
  unsigned *longs; // rows: long rows of the windows, working memory
  long long rows;
};

// Counts the length of each lane's row, unless it is negative. The first lane counts for all lanes
// with its length, since lanes that add to the same place would wait for each other.
__device__ __forceinline__ void countLengths(unsigned *histogram, int length) {
  const int ofFirst = __shfl_sync(kFullMask, length, 0);
  const bool asFirst = length == ofFirst;
  const unsigned together = __ballot_sync(kFullMask, asFirst);
  const bool isFirst = threadIdx.x % 32 == 0;
  if (length >= 0 && (isFirst || !asFirst))
    atomicAdd(histogram + length, isFirst ? static_cast<unsigned>(__popc(together)) : 1U);
}

// Appends long rows of a window to the list of the matrix. Called by one warp.
template <class Index>
__device__ __forceinline__ void listLong(const ProfileRowsArgs<Index> &a, const unsigned *longs,
                                         int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Word64 first = lane == 0 ? atomicAdd(a.counts + kLongRows, static_cast<Word64>(count)) : 0;
  first = __shfl_sync(kFullMask, first, 0);
#pragma unroll 1
  for (int i = lane; i < count; i += 32)
    a.listed[first + static_cast<Word64>(i)] = longs[i];
}

// Adds the sums of all threads to those of the block.
__device__ __forceinline__ void addTo(Word64 *sums, SlicePadding padded) {
#pragma unroll 1
  for (int size = 0; size < kSliceSizes; ++size, dropFirst(padded.of))
    addByWarp(sums + size, padded.of[0]);
}

// The number of rows per lane that are processed together.
enum : int { kRowsTogether = 4 };

// Counts one narrow window. Called by one warp. `own` is its histogram, all 0 before and
// afterwards; `sums` belongs to the block, first for rows in their order and then for sorted ones.
// Returns the length of the longest row that was counted rather than listed.
template <class Index>
__device__ __forceinline__ int profileWindow(const ProfileRowsArgs<Index> &a, long long begin,
                                             unsigned *own, unsigned *wide, int *longRows,
                                             Word64 *sums) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned *const longs = a.longs + begin;
  UnsortedSlices slices{};
  SlicePadding padded{};
  unsigned longest = 0; // of the counted rows
  int listed = 0;
#pragma unroll 1
  for (int first = 0; first < kNarrowWindow / 32; first += kRowsTogether) {
    // Loaded together, so that the warp waits for memory only once.
    int lengths[kRowsTogether];
#pragma unroll
    for (int i = 0; i < kRowsTogether; ++i) {
      const long long row = begin + (first + i) * 32 + lane;
      lengths[i] = row < a.rows ? static_cast<int>(rowLength(a.csrRowPtr, row)) : -1;
    }
#pragma unroll 1
    for (int i = 0; i < kRowsTogether; ++i, dropFirst(lengths)) {
      const auto length = static_cast<unsigned>(max(lengths[0], 0));
      slices.add(padded, length, first + i);
      const bool isLong = length >= unsigned{kCountedLengths};
      const unsigned voters = __ballot_sync(kFullMask, isLong);
      if (isLong)
        longs[listed + __popc(voters & ((1U << lane) - 1U))] = length;
      listed += __popc(voters);
      countLengths(own, isLong ? -1 : lengths[0]);
      longest = isLong ? longest : max(longest, length);
    }
  }
  addTo(sums, padded);
  padded = {};
  const auto longestCounted = static_cast<int>(warpMax(longest));
  if (lane == 0)
    *longRows = listed;
  __syncwarp();
#pragma unroll 1
  for (int length = lane; length <= longestCounted; length += 32)
    if (own[length] > 0)
      atomicAdd(wide + length, own[length]);
  __syncwarp();
  addSorted(padded, own, longestCounted, listed);
  __syncwarp();
  if (listed > 0) {
    __syncwarp();
    sortLong(longs, listed);
#pragma unroll 1
    for (int place = lane; place < listed; place += 32)
      addPlaces(padded, longs[place], static_cast<unsigned>(place), 1);
    listLong(a, longs, listed);
  }
  addTo(sums + kSliceSizes, padded);
  return longestCounted;
}

// One block per wide window; each warp takes some of its narrow windows.
template <class Index>
__device__ __forceinline__ void profileRows(const ProfileRowsArgs<Index> &a) {
  constexpr int warps = kRowsBlock / 32, windows = kWideWindow / kNarrowWindow;
  SPECMV_SHARED_ARRAY(unsigned, narrow, warps *kCountedLengths);
  SPECMV_SHARED_ARRAY(unsigned, wide, kCountedLengths);
  SPECMV_SHARED_ARRAY(int, longRows, windows);
  SPECMV_SHARED_ARRAY(int, longestCounted, 1);
  SPECMV_SHARED_ARRAY(Word64, sums, 3 * kSliceSizes);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
#pragma unroll 1
  for (int i = thread; i < warps * kCountedLengths; i += kRowsBlock)
    narrow[i] = 0;
  for (int i = thread; i < kCountedLengths; i += kRowsBlock)
    wide[i] = 0;
  if (thread < windows)
    longRows[thread] = 0;
  if (thread < 3 * kSliceSizes)
    sums[thread] = 0;
  if (thread == 0)
    longestCounted[0] = 0;
  __syncthreads();

  const long long begin = static_cast<long long>(blockIdx.x) * kWideWindow;
#pragma unroll 1
  for (int window = warp; window < windows; window += warps)
    if (const long long first = begin + window * kNarrowWindow; first < a.rows) {
      const int longest =
          profileWindow(a, first, narrow + warp * kCountedLengths, wide, longRows + window, sums);
      if (lane == 0)
        atomicMax(longestCounted, longest);
    }
  __syncthreads();

  SlicePadding inWide{};
  addLong(inWide, a.longs + begin, longRows, windows);
#pragma unroll 1
  for (int length = thread; length <= longestCounted[0]; length += kRowsBlock)
    if (wide[length] > 0)
      atomicAdd(a.counts + kLengths + length, static_cast<Word64>(wide[length]));
  __syncthreads();
  if (warp == 0) {
    int places = longRows[0];
#pragma unroll 1
    for (int window = 1; window < windows; ++window)
      places += longRows[window];
    addSorted(inWide, wide, longestCounted[0], places);
  }
  addTo(sums + 2 * kSliceSizes, inWide);
  __syncthreads();
  if (thread < 3 * kSliceSizes && sums[thread] > 0)
    atomicAdd(a.counts + kSlices + thread, sums[thread]);
}

} // namespace specmv
