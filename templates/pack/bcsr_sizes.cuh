// Numbers that the packing of BCSR and its kernels must agree on. Constants only: the generator
// includes this file too.
#pragma once

namespace specmv {

// The places of what is found: the least and the greatest local column, the number of blocks, 1 if
// block rows are left to the host, and the steps of all slices.
enum : int {
  kBcsrLeast = 0,
  kBcsrMost = 1,
  kBcsrBlocks = 2,
  kBcsrLeft = 3,
  kBcsrSteps = 4,
  kBcsrFound = 5
};

// Rows and columns of a block.
enum : int { kBcsrMaxSide = 8 };

// col / c is col * factor >> shift, exact for 31 bits: with 2^(k-1) < c <= 2^k the factor is less
// than 2^(31+k) / c + 1, so col times what it is too large by is less than 2^(31+k) / c.
constexpr int bcsrShift(int c) { return 31 + (c > 1) + (c > 2) + (c > 4); }
constexpr unsigned bcsrFactor(int c) {
  return static_cast<unsigned>(((1ULL << bcsrShift(c)) + static_cast<unsigned>(c) - 1) /
                               static_cast<unsigned>(c));
}

// A warp merges the rows of a block row, so longer ones are left to the host: this many take some
// thousand rounds.
enum : int { kMaxMergedRow = 16384 };

// What the tile of a block of threads holds: bytes of values, and steps (of 32 blocks each). Both
// together fit 48 KB of shared memory.
enum : int { kBcsrTileBytes = 32768, kBcsrTileSteps = 16 };

// The tile where all blocks are full. Both together fit 48 KB with 64-bit columns.
enum : int { kBcsrFullBytes = 34816, kBcsrFullSteps = 31 };
// The values of a block are in one piece, and those of the next begin an odd number further; so do
// the block rows of a tile, if they are one lane wide. Lanes that take the same place of blocks or
// of block rows then differ in their banks.
constexpr int bcsrBlockStride(int places) { return places | 1; }
constexpr int bcsrRowBlocks(int tileSteps, int laneBits) { return (tileSteps | 1) << laneBits; }

// i / places is i * factor >> 16 for the lines of a tile, which are fewer than 2^16 / 64: the
// factor is too large by at most 1.
constexpr int bcsrLineFactor(int places) { return 65536 / places + 1; }

// Block rows that a warp takes at a time at most, where all blocks are full.
enum : int {
  kBcsrMaxGroups = 4,
  // Block rows and slices of a tile at most: those of a slice, and one for each warp.
  kBcsrTileRows = 32,
  kBcsrTileSlices = 8,
};

} // namespace specmv
