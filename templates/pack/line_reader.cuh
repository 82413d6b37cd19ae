// Reads the lines of a slice (profile/line_features.cuh) with a warp, a row for each lane. The
// profile and the packing of SELL with columns in bytes use it.
#pragma once
#include "profile/line_features.cuh"
#include "setup/block.cuh"

namespace specmv {

enum : int { kNoColumn = -1 }; // of a lane whose row has no entry in a line

// The least column of a line, from the column of each lane. All lanes of the warp must call it.
__device__ __forceinline__ int leastColumn(int own) {
  return warpMin(own == kNoColumn ? 0x7fffffff : own);
}
// The bytes of a line's offsets, from the column of each lane. All lanes of the warp must call it.
__device__ __forceinline__ int bytesOfLine(int own) {
  const unsigned most = warpMax(own == kNoColumn ? 0 : static_cast<unsigned>(own));
  return bytesOfOffset(static_cast<long long>(most) - leastColumn(own));
}

// A lane reads its row of a slice by this. All lanes of the warp must call lines(), base() and
// bytes() together.
template <class Index> struct LineReader {
  const Index *col; // of the row's first entry
  int length = 0;   // in lanes without a row

  __device__ __forceinline__ LineReader(const Index *rowPtr, const Index *columns, bool live,
                                        long long row)
      : col(columns) {
    if (!live)
      return;
    const long long count = rowLength(rowPtr, row);
    length = static_cast<int>(min(count, static_cast<long long>(kMostLines) + 1));
    col = columns + rowPtr[row];
  }

  // The lines of the slice; if there are too many, one more than kMostLines.
  __device__ __forceinline__ int lines() const {
    return static_cast<int>(warpMax(static_cast<unsigned>(length)));
  }
  __device__ __forceinline__ bool has(int line) const { return line < length; }
  // The column of this lane; only if it has one.
  __device__ __forceinline__ int column(int line) const { return static_cast<int>(col[line]); }
  // The column of this lane in a line, or kNoColumn.
  __device__ __forceinline__ int columnOrNone(int line) const {
    return has(line) ? column(line) : kNoColumn;
  }
  // The least column of a line.
  __device__ __forceinline__ int base(int line) const { return leastColumn(columnOrNone(line)); }
  // The bytes of a line's offsets.
  __device__ __forceinline__ int bytes(int line) const { return bytesOfLine(columnOrNone(line)); }
};

// The lines of a slice by the bytes of their offsets: at[i] have at most i + 1 bytes.
struct LinesUpTo {
  int at[kMostOffsetBytes];

  __device__ __forceinline__ void add(int bytes) {
#pragma unroll
    for (int i = 0; i < kMostOffsetBytes; ++i)
      at[i] += bytes <= i + 1;
  }
  __device__ __forceinline__ int lines() const { return at[kMostOffsetBytes - 1]; }
  // The fours with exactly i + 1 bytes.
  __device__ __forceinline__ int fours(int i) const {
    return foursUpTo(at[i], lines()) - (i == 0 ? 0 : foursUpTo(at[i - 1], lines()));
  }
};

} // namespace specmv
