// The lines of SELL with columns in bytes (templates/sell_bytes.cuh). The profile, the packing of
// the host and kernels compute their sizes and places by these functions.
#pragma once

namespace specmv {

enum : int {
  kLineRows = 32,     // of a slice, and lanes of a warp
  kLinesTogether = 4, // whose offsets have equally many bytes
  kMostOffsetBytes = 4,
  kMostLines = 1024, // of a slice
  kFoursBits = 10,   // of a count of fours in the head of a slice
};

// The bytes of an offset of 0 .. range. Offsets with all bits set are padding.
constexpr int bytesOfOffset(long long range) {
  int bytes = 1;
  while (bytes < kMostOffsetBytes && range >= (1LL << (8 * bytes)) - 1)
    ++bytes;
  return bytes;
}

// The length by which rows are sorted. A slice with a longer row has too many lines.
constexpr long long lengthForOrder(long long length) {
  return length <= kMostLines ? length : kMostLines + 1;
}

// The number of fours with offsets of at most b bytes, if `upTo` of the slice's lines have at most
// b. Lines are sorted by their bytes; a four is as wide as its last line.
constexpr int foursUpTo(int upTo, int lines) {
  return upTo == lines ? (lines + kLinesTogether - 1) / kLinesTogether : upTo / kLinesTogether;
}

// The slot of a lane in a line of a slice that begins at slot `start`. Two neighbouring lines
// alternate, so that a lane loads both values at once; the last of an odd number is alone.
constexpr long long lineSlot(long long start, int lines, int line, int lane) {
  const bool isAlone = line == lines - 1 && lines % 2 == 1;
  return isAlone ? start + line * kLineRows + lane
                 : start + line / 2 * 2 * kLineRows + lane * 2 + line % 2;
}

} // namespace specmv
