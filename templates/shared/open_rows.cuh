// Rows that several blocks share: each block brings its share of the sum, and the one that comes
// last adds all of them, in an order that depends on the matrix only, and goes on with the whole.
// No block waits for another to be started, whatever order the GPU starts them in.
#pragma once
#include "shared/device.cuh"

namespace specmv {

// A share travels as one word of bits, 0 where there is none yet: the number itself is the flag, so
// that no fence and no second word is needed.
template <class Value> struct Bits { using Word = unsigned; };
template <> struct Bits<double> { using Word = unsigned long long; };
template <class Value> using WordOf = typename Bits<Value>::Word;

template <class Value>
constexpr WordOf<Value> kSignBit = WordOf<Value>(1) << (8 * sizeof(Value) - 1);

// Never 0: only -0 has the sign bit alone, and adding 0 makes that +0.
template <class Value> __device__ __forceinline__ WordOf<Value> wordOf(Value share) {
  return __builtin_bit_cast(WordOf<Value>, share + Value(0)) ^ kSignBit<Value>;
}
template <class Value> __device__ __forceinline__ Value shareOf(WordOf<Value> word) {
  return __builtin_bit_cast(Value, word ^ kSignBit<Value>);
}

// The row that is open at a boundary between two blocks: the blocks that have its first entry and
// its end; the same number twice where no row is open.
struct OpenRow {
  unsigned first, last;
  __device__ bool isOpen() const { return first != last; }
};

template <class Value> struct OpenRows {
  // Of the rows open before each block, and after the last one.
  const unsigned *first, *last;
  // Scratch, 0 between launches. A block's share of the row that it ends, partialSums[2 block], and
  // of the row that it leaves open, partialSums[2 block + 1]; the shares of a row brought, by its
  // last block.
  WordOf<Value> *partialSums;
  unsigned *arrivals;

  // Where block `block` brings its share of the row that ends in block `last`.
  __device__ WordOf<Value> *place(unsigned block, unsigned last) const {
    return partialSums + (2 * Int64(block) + (block != last));
  }
  // Of this block: the row open at its begin, in lane 0, and at its end, in the others.
  __device__ OpenRow ofLane() const {
    const unsigned boundary = blockIdx.x + (threadIdx.x % 32 != 0);
    return {loadReused(first + boundary), loadReused(last + boundary)};
  }
};

// Words that a lane takes at once, so that their latency is paid once.
constexpr int kSharesInFlight = 8;

// Takes and adds the shares of one row, which have all been brought but may be on their way still.
// Called by a whole warp; lane 0 has the sum.
template <class Value>
__device__ __forceinline__ Value takeShares(const OpenRows<Value> &rows, OpenRow row) {
  using Word = WordOf<Value>;
  Value sum = 0;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned base = row.first; base <= row.last; base += 32 * kSharesInFlight) {
    Word words[kSharesInFlight];
#pragma unroll
    for (int s = 0; s < kSharesInFlight; ++s) {
      const unsigned block = base + 32 * s + lane;
      words[s] = block <= row.last ? atomicExch(rows.place(block, row.last), Word(0)) : Word(0);
    }
#pragma unroll
    for (int s = 0; s < kSharesInFlight; ++s) {
      const unsigned block = base + 32 * s + lane;
      while (block <= row.last && words[s] == 0)
        words[s] = atomicExch(rows.place(block, row.last), Word(0));
      sum += block <= row.last ? shareOf<Value>(words[s]) : Value(0);
    }
  }
  return groupSum<32>(sum);
}

// Brings `sum`, this block's share of the `row` ofLane(): lane 0 where the row ends in the block,
// lane 1 where it goes on. True in a lane whose share came last: its `sum` is now the whole row's.
// Two shares meet in one exchange. Called by a whole warp.
template <class Value>
__device__ __forceinline__ bool bringShare(const OpenRows<Value> &rows, OpenRow row, Value &sum) {
  using Word = WordOf<Value>;
  const int ownLane = threadIdx.x % 32;
  const bool has = row.isOpen() && (ownLane == 0 ? row.last == blockIdx.x : ownLane == 1);
  const unsigned others = row.last - row.first;
  bool isWhole = false;
  if (has && others == 1) {
    Word *const meeting = rows.place(row.last, row.last);
    const Word other = atomicExch(meeting, wordOf(sum));
    isWhole = other != 0;
    if (isWhole) {
      atomicExch(meeting, Word(0));
      sum += shareOf<Value>(other);
    }
  } else if (has) {
    atomicExch(rows.place(blockIdx.x, row.last), wordOf(sum));
    isWhole = atomicAdd(rows.arrivals + row.last, 1U) == others;
    if (isWhole)
      atomicExch(rows.arrivals + row.last, 0U);
  }
  for (unsigned many = __ballot_sync(kFullMask, isWhole && others > 1); many; many &= many - 1) {
    const int lane = __ffs(int(many)) - 1;
    const OpenRow one{__shfl_sync(kFullMask, row.first, lane),
                      __shfl_sync(kFullMask, row.last, lane)};
    const Value whole = __shfl_sync(kFullMask, takeShares(rows, one), 0);
    if (ownLane == lane)
      sum = whole;
  }
  return isWhole;
}

} // namespace specmv
