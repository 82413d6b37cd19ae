// Rows whose entries are in several blocks. Each block publishes its partial sum of such a row. The
// block that arrives last collects all of them and continues with the complete sum. The order of
// the additions depends only on the matrix, so the result has the same bits in every run.
//
// Example: four blocks. A row begins in block 0, fills block 1 and ends in block 2; another begins
// in block 2 and ends in block 3. The boundaries before block 0, 1, 2, 3 and after block 3 have
//   openFirst  0 0 0 2 4      equal numbers: no row is open there
//   openLast   0 2 2 3 4
// First row:  block 0 publishes in partialSums[1], block 1 in [3], block 2 in [4]. Each then adds 1
//             to arrivals[2]; the block that reads 2 there is the last of the three and collects.
// Second row: blocks 2 and 3 both exchange their sum with partialSums[6]. The one that gets 0 came
//             first and is done; the other gets the first one's sum and adds its own (a + b and
//             b + a have the same bits).
//
// No fence is needed. A fence orders two writes, so that a thread that sees a flag also sees the
// data behind it. Here the flag is the data: a word is 0 until the partial sum is in it, and never
// 0 after that. It changes by atomic exchanges of the whole word, so it is read either completely
// or not at all. No block reads any other data that another block has written. `arrivals` only
// determines which block comes last. Atomics on two words may be seen in either order, so the
// collector may find a word that is still 0 although its block has arrived, and then reads it
// again. This ends, because that block is running and waits for no other block before its exchange
// is done. No block waits for one that has not arrived, so the order in which the GPU starts blocks
// does not matter.
//
// The scratch memory is all 0 again when the kernel ends. A word belongs to one row and is
// published once in a launch, and the block that collects it resets it to 0.
#pragma once
#include "shared/device.cuh"

namespace specmv {

// A partial sum is published as one word of bits; 0 means that it is not there yet.
template <class Value> __device__ constexpr WordOf<Value> signBit() {
  return WordOf<Value>(1) << (8 * sizeof(Value) - 1);
}

// The word of a sum is never 0, since its sign bit is inverted. Only -0 has the sign bit alone, and
// adding 0 turns -0 into +0.
template <class Value> __device__ __forceinline__ WordOf<Value> wordOf(Value sum) {
  return __builtin_bit_cast(WordOf<Value>, sum + Value(0)) ^ signBit<Value>();
}
template <class Value> __device__ __forceinline__ Value sumOf(WordOf<Value> word) {
  return __builtin_bit_cast(Value, word ^ signBit<Value>());
}

// The row that is open at a boundary between two blocks: it has entries before the boundary, and
// more entries, or only its end, after it. `first` is the block with its first entry, `last` the
// block in which it ends; they are equal if no row is open.
struct OpenRow {
  unsigned first, last;
  __device__ bool isOpen() const { return first != last; }
};

// Element `row` of y, for storeResult(), where `open` tells which blocks have a part of the row.
template <class Y, class Row>
__device__ __forceinline__ auto openRowOf(const Y &y, Row row, OpenRow /*open*/) {
  return y + row;
}

template <class Value> struct OpenRows {
  // For the row that is open at each boundary: before each block, and after the last one.
  const unsigned *first, *last;
  // Scratch, 0 between launches. Two words per block: [2 block] for the row that ends in the block,
  // [2 block + 1] for the row that continues after it.
  WordOf<Value> *partialSums;
  // Scratch, 0 between launches: the number of blocks that have published, by the row's last block.
  unsigned *arrivals;

  // The place where `block` publishes its partial sum of the row that ends in block `last`.
  __device__ WordOf<Value> *place(unsigned block, unsigned last) const {
    return partialSums + (2 * Int64(block) + (block != last));
  }
  // In lane 0, the row that is open at the beginning of this block; in all others, the one at its
  // end.
  __device__ OpenRow ofLane() const {
    const unsigned boundary = blockIdx.x + (threadIdx.x % 32 != 0);
    return {loadReused(first + boundary), loadReused(last + boundary)};
  }
};

// Adds the partial sums of one row, whose blocks have all arrived, and leaves zeros. Atomics on two
// words may be seen in either order: a word that is not there yet is read again until it is. The
// whole warp must call this; lane 0 has the sum.
template <class Value>
__device__ __forceinline__ Value collectPartialSums(const OpenRows<Value> &rows, OpenRow row) {
  using Word = WordOf<Value>;
  Value sum = 0;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned base = row.first; base <= row.last; base += 32 * kCollectedTogether) {
    Word words[kCollectedTogether];
#pragma unroll
    for (int s = 0; s < kCollectedTogether; ++s) {
      const unsigned block = base + 32 * s + lane;
      words[s] = block <= row.last ? atomicExch(rows.place(block, row.last), Word(0)) : Word(0);
    }
#pragma unroll
    for (int s = 0; s < kCollectedTogether; ++s) {
      const unsigned block = base + 32 * s + lane;
      while (block <= row.last && words[s] == 0)
        words[s] = atomicExch(rows.place(block, row.last), Word(0));
      sum += block <= row.last ? sumOf<Value>(words[s]) : Value(0);
    }
  }
  return groupSum<32>(sum);
}

// Publishes `sum`, this block's partial sum of `row`, which is ofLane(). Lane 0 does so for the row
// that was open when the block began, if it ends in the block; lane 1 for the row that continues
// after the block. Returns true in a lane that came last for its row: `sum` is then the complete
// sum. A row of two blocks needs only one exchange and no count. The whole warp must call this.
template <class Value>
__device__ __forceinline__ bool publishPartialSum(const OpenRows<Value> &rows, OpenRow row,
                                                  Value &sum) {
  using Word = WordOf<Value>;
  const int ownLane = threadIdx.x % 32;
  const bool has = row.isOpen() && (ownLane == 0 ? row.last == blockIdx.x : ownLane == 1);
  const unsigned others = row.last - row.first;
  bool isComplete = false;
  if (has && others == 1) {
    Word *const meeting = rows.place(row.last, row.last);
    const Word other = atomicExch(meeting, wordOf(sum));
    isComplete = other != 0;
    if (isComplete) {
      atomicExch(meeting, Word(0));
      sum += sumOf<Value>(other);
    }
  } else if (has) {
    atomicExch(rows.place(blockIdx.x, row.last), wordOf(sum));
    isComplete = atomicAdd(rows.arrivals + row.last, 1U) == others;
    if (isComplete)
      atomicExch(rows.arrivals + row.last, 0U);
  }
  for (unsigned left = __ballot_sync(kFullMask, isComplete && others > 1); left; left &= left - 1) {
    const int lane = __ffs(int(left)) - 1;
    const OpenRow one{__shfl_sync(kFullMask, row.first, lane),
                      __shfl_sync(kFullMask, row.last, lane)};
    const Value complete = __shfl_sync(kFullMask, collectPartialSums(rows, one), 0);
    if (ownLane == lane)
      sum = complete;
  }
  return isComplete;
}

} // namespace specmv
