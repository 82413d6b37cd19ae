// Orders all rows by descending length; rows of equal length keep their order. The passes go over
// the digits of a key, the lowest first. Each pass counts the digits in tiles of rows, a scan turns
// the counts into places, and the pass then moves the rows there.
#pragma once
#include "setup/block.cuh"

namespace specmv {

// `counts` is ordered by digit, and by tile for each digit.
template <class Index, class Order> struct LengthCountsArgs {
  const Index *csrRowPtr;
  const Order *from; // the order so far; the first pass does not read it
  Order *counts;
  long long rows, tiles, longest;
  int shift; // of the digit in the key; the key is the longest length minus the row's length
};

template <class Index, class Order> struct LengthMovesArgs {
  const Index *csrRowPtr;
  const Order *from;
  const Order *counts; // now places
  Order *to;
  long long rows, tiles, longest;
  int shift;
};

enum : int { kOrderRounds = kLengthTile / int{kSetupBlock} };

// A thread's rows of the tile: their digits, and the lanes of the warp with the same digit. A warp
// has neighbouring rows, 32 per round.
struct TileDigits {
  int digit[kOrderRounds]; // kLengthDigits after the last row
  unsigned same[kOrderRounds];
};

__device__ __forceinline__ unsigned lanesWith(int digit) {
  unsigned same = kFullMask;
#pragma unroll
  for (int bit = 1; bit <= kLengthDigits; bit *= 2) {
    const unsigned set = __ballot_sync(kFullMask, (digit & bit) != 0);
    same &= (digit & bit) != 0 ? set : ~set;
  }
  return same;
}

__device__ __forceinline__ unsigned lanesBelow() { return (1U << threadIdx.x % 32) - 1U; }

__device__ __forceinline__ long long tilePlace(int round) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  return static_cast<long long>(blockIdx.x) * kLengthTile + (warp * kOrderRounds + round) * 32 +
         lane;
}

template <class Args>
__device__ __forceinline__ long long orderedRow(const Args &a, long long place) {
  return a.shift == 0 ? place : static_cast<long long>(a.from[place]);
}

// Counts the digits of each warp in `counts`, which is shared memory with one row of digits per
// warp.
template <class Args>
__device__ __forceinline__ void countDigits(const Args &a, TileDigits &tile, int *counts) {
  int *const own = counts + threadIdx.x / 32 * kLengthDigits;
  for (int i = static_cast<int>(threadIdx.x) % 32; i < kLengthDigits; i += 32)
    own[i] = 0;
  __syncwarp();
#pragma unroll
  for (int round = 0; round < kOrderRounds; ++round) {
    const long long place = tilePlace(round);
    int digit = kLengthDigits;
    if (place < a.rows) {
      const long long shorter = a.longest - rowLength(a.csrRowPtr, orderedRow(a, place));
      digit = static_cast<int>(shorter >> a.shift) & (kLengthDigits - 1);
    }
    tile.digit[round] = digit;
    tile.same[round] = lanesWith(digit);
    if (digit < kLengthDigits && (tile.same[round] & lanesBelow()) == 0)
      own[digit] += __popc(tile.same[round]);
    __syncwarp();
  }
  __syncthreads();
}

// One thread per digit: replaces each warp's count by the sum over the warps before it, and returns
// the sum over all warps.
__device__ __forceinline__ int scanWarps(int *counts) {
  static_assert(kLengthDigits == int{kSetupBlock});
  int sum = 0;
#pragma unroll
  for (int warp = 0; warp < kSetupBlock / 32; ++warp) {
    const int at = warp * kLengthDigits + static_cast<int>(threadIdx.x), own = counts[at];
    counts[at] = sum;
    sum += own;
  }
  return sum;
}

template <class Index, class Order>
__device__ __forceinline__ void lengthCounts(const LengthCountsArgs<Index, Order> &a) {
  SPECMV_SHARED_ARRAY(int, counts, kSetupBlock / 32 * kLengthDigits);
  TileDigits tile;
  countDigits(a, tile, counts);
  a.counts[threadIdx.x * a.tiles + blockIdx.x] = static_cast<Order>(scanWarps(counts));
}

template <class Index, class Order>
__device__ __forceinline__ void lengthMoves(const LengthMovesArgs<Index, Order> &a) {
  SPECMV_SHARED_ARRAY(int, counts, kSetupBlock / 32 * kLengthDigits);
  SPECMV_SHARED_ARRAY(long long, starts, kLengthDigits);
  TileDigits tile;
  countDigits(a, tile, counts);
  scanWarps(counts);
  starts[threadIdx.x] = a.counts[threadIdx.x * a.tiles + blockIdx.x];
  __syncthreads();
  int *const own = counts + threadIdx.x / 32 * kLengthDigits;
#pragma unroll
  for (int round = 0; round < kOrderRounds; ++round) {
    const int digit = tile.digit[round], rank = __popc(tile.same[round] & lanesBelow());
    if (digit < kLengthDigits)
      a.to[starts[digit] + own[digit] + rank] = static_cast<Order>(orderedRow(a, tilePlace(round)));
    __syncwarp();
    if (digit < kLengthDigits && rank == 0)
      own[digit] += __popc(tile.same[round]);
    __syncwarp();
  }
}

} // namespace specmv
