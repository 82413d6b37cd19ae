// Packs a matrix in SELL with columns in bytes (templates/sell_bytes.cuh): counts the lines of each
// slice by their bytes, then sorts and fills them. One warp for each slice.
#pragma once
#include "pack/entries.cuh"
#include "pack/line_reader.cuh"

namespace specmv {

// The row in a place, and how a lane reads it.
template <class Index, class Args>
__device__ __forceinline__ LineReader<Index> readerOf(const Args &a, long long place) {
  const bool live = place < a.rows;
  const long long row = !live || a.sigma == 1 ? place : place - place % a.sigma + a.perm[place];
  return {a.csrRowPtr, a.csrCol, live, row};
}

template <class Index> struct BytesCountArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  const Int16 *perm;
  // These have a number for each slice, and one more. They receive the counts of lines, of fours
  // and of rows of words.
  long long *lines, *fours, *words;
  unsigned *widths;   // by slice: the last number of its head
  long long *tooLong; // one: the slices with more than kMostLines lines; 0 at first
  long long rows;
  int sigma;
};

template <class Index> __device__ __forceinline__ void bytesCount(const BytesCountArgs<Index> &a) {
  const long long place = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  const LineReader<Index> row = readerOf<Index>(a, place);
  const int lines = row.lines();
  LinesUpTo upTo = {};
  if (lines <= kMostLines)
    for (int line = 0; line < lines; ++line)
      upTo.add(row.bytes(line));
  if (place % kLineRows != 0 || place >= a.rows)
    return;
  const long long slice = place / kLineRows;
  long long fours = 0, words = 0;
  unsigned widths = 0;
#pragma unroll
  for (int i = 0; i < kMostOffsetBytes; ++i) {
    const int count = upTo.fours(i);
    fours += count;
    words += count * (i + 1);
    if (i < kMostOffsetBytes - 1)
      widths |= static_cast<unsigned>(count) << i * kFoursBits;
  }
  a.lines[slice] = upTo.lines();
  a.fours[slice] = fours;
  a.words[slice] = words;
  a.widths[slice] = widths;
  if (lines > kMostLines)
    atomicAdd(reinterpret_cast<unsigned long long *>(a.tooLong), 1ULL);
}

template <class Index, class Value> struct BytesFillArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Entries<Value> entries;
  const Int16 *perm;
  const long long *lines, *fours, *words; // the first of each slice, and their numbers
  const unsigned *widths;
  unsigned *heads;
  int *bases;
  unsigned *offsets; // the words of the layout
  long long rows;
  int sigma;
};

// Sorts the lines of a slice by their bytes. `order` receives the line in each place, `bytes` the
// bytes of each line.
template <class Index>
__device__ __forceinline__ void sortLines(const LineReader<Index> &row, int lines, Int16 *order,
                                          Int8 *bytes) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  LinesUpTo upTo = {};
  for (int line = 0; line < lines; ++line) {
    const int own = row.bytes(line);
    upTo.add(own);
    if (lane == 0)
      bytes[line] = static_cast<Int8>(own);
  }
  __syncwarp();
  for (int width = 1; width <= kMostOffsetBytes; ++width) {
    int at = width == 1 ? 0 : upTo.at[width - 2];
    for (int first = 0; first < lines; first += 32) {
      const bool isOne = first + lane < lines && bytes[first + lane] == width;
      const unsigned ones = __ballot_sync(kFullMask, isOne);
      if (isOne)
        order[at + __popc(ones & ((1U << lane) - 1U))] = static_cast<Int16>(first + lane);
      at += __popc(ones);
    }
  }
  __syncwarp();
}

template <class Index, class Value>
__device__ __forceinline__ void bytesFill(const BytesFillArgs<Index, Value> &a) {
  constexpr int warps = kSetupBlock / 32;
  SPECMV_SHARED_ARRAY(Int16, orders, warps * kMostLines);
  SPECMV_SHARED_ARRAY(Int8, widthsOfLines, warps * kMostLines);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  Int16 *const order = orders + warp * kMostLines;
  Int8 *const bytes = widthsOfLines + warp * kMostLines;
  const long long place = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  const long long slice = place / kLineRows, slices = (a.rows + kLineRows - 1) / kLineRows;
  if (slice >= slices)
    return;
  const LineReader<Index> row = readerOf<Index>(a, place);
  const int lines = row.lines();
  sortLines(row, lines, order, bytes);
  const long long slot = a.lines[slice] * kLineRows;
  long long four = a.fours[slice], word = a.words[slice];
  for (int first = 0; first < lines; first += kLinesTogether, ++four) {
    const int end = min(first + kLinesTogether, lines), width = bytes[order[end - 1]];
    unsigned words[kMostOffsetBytes] = {};
    if (lane < first + kLinesTogether - end) // lines that the last four lacks
      a.bases[four * kLinesTogether + end - first + lane] = 0;
    for (int at = first; at < end; ++at) {
      const int line = order[at], base = row.base(line);
      const bool has = row.has(line);
      const unsigned offset = has ? static_cast<unsigned>(row.column(line) - base) : kFullMask;
#pragma unroll
      for (int i = 0; i < kMostOffsetBytes; ++i)
        words[i] |= (offset >> 8 * i & 0xff) << 8 * (at - first);
      if (lane == 0)
        a.bases[four * kLinesTogether + at - first] = base;
      a.entries.put(lineSlot(slot, lines, at, lane),
                    a.entries.item(has, has ? row.col - a.csrCol + line : 0));
    }
#pragma unroll
    for (int i = 0; i < kMostOffsetBytes; ++i)
      if (i < width)
        a.offsets[(word + i) * kLineRows + lane] = words[i];
    word += width;
  }
  if (lane < 2 && (lane == 0 || slice == slices - 1)) {
    const long long of = slice + lane;
    unsigned *const head = a.heads + of * 4;
    head[0] = static_cast<unsigned>(a.lines[of]);
    head[1] = static_cast<unsigned>(a.fours[of]);
    head[2] = static_cast<unsigned>(a.words[of]);
    head[3] = lane == 0 ? a.widths[slice] : 0;
  }
}

} // namespace specmv
