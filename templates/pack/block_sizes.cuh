// Numbers on which the coding of whole blocks, its kernels and the host must agree. Contains only
// constants and constexpr functions, because the generator includes this file too.
#pragma once

namespace specmv {

// Different blocks are numbered if a code has room for their numbers, and if their table has at
// most kBlockTableBytes: it is then a fiftieth of the L2 of a large GPU, in which x must stay too,
// and has room for all codes of 16 bits where blocks have 16 bytes.
enum : int {
  kMostBlocks = 65536,
  kMostBlocksInByte = 256,
  kBlockTableBytes = 1 << 20,
  kBlockAlignment = 16, // bytes; what one load of a lane can read
};

// The values of a block in the table, with the zeros behind them.
constexpr int blockStride(int places, int valueBytes) {
  const int together = kBlockAlignment / valueBytes;
  return (places + together - 1) / together * together;
}

// The most different blocks of so many places, if a code can number `most`.
constexpr int mostBlocksOf(int most, int places, int valueBytes) {
  const int room = kBlockTableBytes / (blockStride(places, valueBytes) * valueBytes);
  return room < most ? room : most;
}

// The blocks for which a table has room that has so many: a power of two, so that values that
// change a little still fit it, and no less than a byte can number.
constexpr int roomForBlocks(int different, int most) {
  int room = kMostBlocksInByte;
  while (room < different)
    room *= 2;
  return room < most ? room : most;
}

} // namespace specmv
