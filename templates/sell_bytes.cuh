// SELL with columns in bytes: slices of 32 rows as in SELL, in which a column takes 1 to 4 bytes.
// The k-th entries of the rows of a slice form a line. A line has a base, its least column, and its
// columns are offsets from there. Lines are sorted by the bytes that their offsets need, so the
// order of a row's entries changes. Four lines form a four, whose offsets all have as many bytes as
// its last line needs. The first bytes of a lane's four offsets are one word, the second bytes
// another, and so on.
//
// Example: a slice whose lines have the bases 7, 40, 3, 500, 2, and need 1, 1, 1, 2 and 1 bytes.
//   four 0: the lines with bases 7, 40, 3, 2; one word for each lane
//   four 1: the line with base 500; two words for each lane, of which one byte each is used
#pragma once
#include "profile/line_features.cuh"
#include "sell.cuh"

namespace specmv {

struct SellBytesPlan {
  int blockThreads;
  int sigma;   // rows of a window; 1: not sorted
  int widest;  // the most bytes of an offset
  bool readsY; // false: beta is 0 in every product
};

template <class T> struct SellBytesArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  // Four numbers for each slice, and for the end: the first line, the first four, the first row of
  // words, and how many fours have 1, 2 and 3 bytes (kFoursBits bits each; the others have 4).
  const unsigned *heads;
  const int *bases; // of the lines of each four
  // 32 in a row, one for each lane; all bits of an offset are set in padding.
  Streamed<unsigned> words;
  typename T::Values val; // lineSlot() has the places
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
  // If rows are sorted, by place: the row, counted from the first row of its window.
  Streamed<Int16> perm = {};
};

// What a lane loads of a four: its values, the words of its offsets, and the bases of the lines.
template <int widest, class Stored> struct FourLines {
  Stored val[kLinesTogether];
  unsigned words[widest];
  uint4 bases;
  unsigned padding; // an offset that is no entry
};

// The head of a slice, with places in the arrays.
template <SellBytesPlan plan, class Args> class BytesSlice {
public:
  using Stored = decltype(loadOnce(Args::val));
  using Lines = FourLines<plan.widest, Stored>;

  __device__ __forceinline__ BytesSlice(const Args &a, typename Args::Offset slice) : a_(a) {
    const uint4 head = loadReused(reinterpret_cast<const uint4 *>(a.heads) + slice);
    lines_ = static_cast<int>(loadReused(a.heads + (Int64(slice) + 1) * 4) - head.x);
    val_ = Int64(head.x) * kLineRows;
    bases_ = head.y;
    words_ = Int64(head.z) * kLineRows + threadIdx.x % 32;
    constexpr unsigned mask = (1U << kFoursBits) - 1;
    ends_[0] = static_cast<int>(head.w & mask);
    ends_[1] = ends_[0] + static_cast<int>(head.w >> kFoursBits & mask);
    ends_[2] = ends_[1] + static_cast<int>(head.w >> 2 * kFoursBits);
  }

  __device__ __forceinline__ int whole() const { return lines_ / kLinesTogether; }
  __device__ __forceinline__ int rest() const { return lines_ % kLinesTogether; }

  // Loads `count` lines of a four.
  __device__ __forceinline__ Lines load(int four, int count) const {
    Lines out = {};
    int bytes = 1, row = four;
#pragma unroll
    for (int i = 0; i < plan.widest - 1; ++i) {
      bytes += four >= ends_[i];
      row += max(0, four - ends_[i]);
    }
    const auto words = a_.words + words_ + Int64(row) * kLineRows;
    out.bases = loadReused(reinterpret_cast<const uint4 *>(a_.bases) + bases_ + four);
#pragma unroll
    for (int i = 0; i < plan.widest; ++i)
      out.words[i] = loadOnceIf(i == 0 || i < bytes, words + i * kLineRows, 0U);
    out.padding = kFullMask >> 8 * (kMostOffsetBytes - bytes);
    const auto val = a_.val + (val_ + Int64(four) * (kLinesTogether * kLineRows));
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < kLinesTogether; i += 2)
      if (i + 1 < count) {
        const auto pair = loadPair(val + (i * kLineRows + 2 * lane));
        out.val[i] = pair.at[0], out.val[i + 1] = pair.at[1];
      } else if (i < count) {
        out.val[i] = loadOnce(val + (i * kLineRows + lane));
      }
    return out;
  }

private:
  const Args &a_;
  int lines_;
  Int64 val_, words_; // the first slot; this lane's first word
  unsigned bases_;
  int ends_[kMostOffsetBytes - 1]; // the fours with offsets of at most i + 1 bytes
};

// The offset of line i.
template <int widest, class Stored>
__device__ __forceinline__ unsigned offsetOf(const FourLines<widest, Stored> &lines, int i) {
  unsigned out = 0;
#pragma unroll
  for (int k = 0; k < widest; ++k)
    out |= (lines.words[k] >> 8 * i & 0xff) << 8 * k;
  return out;
}

// Adds the products of the first `count` lines.
template <int widest, class Stored, class X, class Sum>
__device__ __forceinline__ Sum addLines(const FourLines<widest, Stored> &lines, const X &x,
                                        int count, Sum sum) {
  const unsigned bases[] = {lines.bases.x, lines.bases.y, lines.bases.z, lines.bases.w};
  Sum factor[kLinesTogether];
#pragma unroll
  for (int i = 0; i < kLinesTogether; ++i) {
    const unsigned offset = offsetOf(lines, i);
    factor[i] = loadReusedIf(i < count && offset != lines.padding, x + (bases[i] + offset));
  }
#pragma unroll
  for (int i = 0; i < kLinesTogether; ++i)
    if (i < count)
      sum = multiplyAdd(lines.val[i], factor[i], sum);
  return sum;
}

// One warp for each slice, one lane for each row. The lines of an incomplete four come first, so
// that the registers of one four suffice and an SM holds as many threads as it can.
template <SellBytesPlan plan, class T>
__device__ __forceinline__ void sellBytes(const SellBytesArgs<T> &a) {
  using Offset = typename T::Offset;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.widest >= 1 && plan.widest <= kMostOffsetBytes);
  const Offset place = Offset(blockIdx.x) * plan.blockThreads + threadIdx.x;
  const Offset slice = place / kLineRows;
  if (slice * kLineRows >= a.rows)
    return;
  const BytesSlice<plan, SellBytesArgs<T>> own(a, slice);
  // The row is loaded now, since at the end the warp would wait for it.
  Offset row = place;
  if constexpr (plan.sigma != 1)
    row = place < a.rows ? rowInPlace(a.perm, place, plan.sigma) : 0;
  SumOf<typename T::X> sum = 0;
  if (own.rest() > 0)
    sum = addLines(own.load(own.whole(), own.rest()), a.x, own.rest(), sum);
#pragma unroll 1
  for (int four = 0; four < own.whole(); ++four)
    sum = addLines(own.load(four, kLinesTogether), a.x, kLinesTogether, sum);
  if (place < a.rows)
    storeResult<plan.readsY>(a.y + row, a.alpha, sum, a.beta);
}

} // namespace specmv
