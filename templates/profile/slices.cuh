// The size of sliced ELL: slices of rows in their order, and of rows sorted within windows. Windows
// with very long rows are sorted row by row.
#pragma once
#include "profile/counts.cuh"
#include "setup/block.cuh"

namespace specmv {

// The padding of slices, for one thread: [size].
struct SlicePadding {
  Word64 of[kSliceSizes];
};

// Adds the size of slices of rows by descending length. `count` rows of this length have the places
// from `begin` on, and a slice is as wide as the row at its first place.
__device__ __forceinline__ void addPlaces(SlicePadding &padded, unsigned length, unsigned begin,
                                          unsigned count) {
#pragma unroll
  for (int size = 0; size < kSliceSizes; ++size) {
    const unsigned slice = 2U << size;
    const unsigned starts = (begin + count + slice - 1) / slice - (begin + slice - 1) / slice;
    padded.of[size] += static_cast<Word64>(starts * slice) * length;
  }
}

// Adds the slices of rows in their order. Each lane has the length of one of 32 rows, and `rows32`
// is the number of these 32 rows in a window of 1,024. The longest of 64 and of 128 rows are kept
// between the calls.
struct UnsortedSlices {
  unsigned longest64, longest128;

  __device__ __forceinline__ void add(SlicePadding &padded, unsigned length, int rows32) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int size = 0; size < 5; ++size) {
      length = max(length, __shfl_xor_sync(kFullMask, length, 1 << size));
      if (lane % (2 << size) == 0)
        padded.of[size] += static_cast<Word64>(length) << (size + 1);
    }
    longest64 = rows32 % 2 == 0 ? length : max(longest64, length);
    longest128 = rows32 % 4 == 0 ? length : max(longest128, length);
    if (lane == 0 && rows32 % 2 == 1)
      padded.of[5] += static_cast<Word64>(longest64) << 6;
    if (lane == 0 && rows32 % 4 == 3)
      padded.of[6] += static_cast<Word64>(longest128) << 7;
  }
};

// Adds the rows that `histogram` counts, longest first, after the first `places` rows. Called by
// one warp; each bin is set to 0 after it is read.
__device__ __forceinline__ void addSorted(SlicePadding &padded, unsigned *histogram, int longest,
                                          int places) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int top = longest; top >= 0; top -= 32) {
    const int length = top - lane;
    const int count = length >= 0 ? static_cast<int>(histogram[length]) : 0;
    if (count > 0)
      histogram[length] = 0;
    const int upTo = warpScan(count);
    addPlaces(padded, static_cast<unsigned>(length), static_cast<unsigned>(places + upTo - count),
              static_cast<unsigned>(count));
    places += __shfl_sync(kFullMask, upTo, 31);
  }
}

// Orders two of `count` numbers, the larger one first.
__device__ __forceinline__ void orderPair(unsigned *longs, int count, int low, int high) {
  if (high >= count)
    return;
  const unsigned first = longs[low], second = longs[high];
  if (first < second) {
    longs[low] = second;
    longs[high] = first;
  }
}

// Sorts `count` numbers, longest first. Called by one warp. This is a bitonic sort that first
// compares mirrored places: all of its pairs have the same order, so missing places at the end
// change nothing.
__device__ __forceinline__ void sortLong(unsigned *longs, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  bool isSorted = true;
#pragma unroll 1
  for (int i = lane; i + 1 < count; i += 32)
    isSorted = isSorted && longs[i] >= longs[i + 1];
  if (__ballot_sync(kFullMask, !isSorted) == 0)
    return;
  __syncwarp(); // all lanes have read the numbers before any is moved
  int places = 2;
  while (places < count)
    places *= 2;
#pragma unroll 1
  for (int size = 2; size <= places; size *= 2) {
#pragma unroll 1
    for (int pair = lane; pair < places / 2; pair += 32) {
      const int begin = pair / (size / 2) * size, at = pair % (size / 2);
      orderPair(longs, count, begin + at, begin + size - 1 - at);
    }
    __syncwarp();
#pragma unroll 1
    for (int step = size / 4; step > 0; step /= 2) {
#pragma unroll 1
      for (int pair = lane; pair < places / 2; pair += 32) {
        const int low = 2 * step * (pair / step) + pair % step;
        orderPair(longs, count, low, low + step);
      }
      __syncwarp();
    }
  }
}

// Returns how many of `count` numbers, longest first, come before `length`: those that are longer
// or, with `orEqual`, not shorter.
__device__ __forceinline__ int countBefore(const unsigned *longs, int count, unsigned length,
                                           bool orEqual) {
  int begin = 0;
  while (begin < count) {
    const int middle = begin + (count - begin) / 2;
    if (longs[middle] > length || (orEqual && longs[middle] == length))
      begin = middle + 1;
    else
      count = middle;
  }
  return begin;
}

// Adds the long rows of a wide window, which are sorted within each narrow one, each at its place
// among all of them. Called by all threads of a block.
__device__ __forceinline__ void addLong(SlicePadding &padded, const unsigned *longs,
                                        const int *counts, int windows) {
#pragma unroll 1
  for (int window = 0; window < windows; ++window)
#pragma unroll 1
    for (int own = static_cast<int>(threadIdx.x); own < counts[window]; own += kRowsBlock) {
      const unsigned length = longs[window * kNarrowWindow + own];
      int place = own;
#pragma unroll 1
      for (int other = 0; other < windows; ++other)
        if (other != window)
          place +=
              countBefore(longs + other * kNarrowWindow, counts[other], length, other < window);
      addPlaces(padded, length, static_cast<unsigned>(place), 1);
    }
}

} // namespace specmv
