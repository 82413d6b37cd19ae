// Constants on which the packing of BCSR and its kernels must agree. Contains only constants and
// constexpr functions, because the generator includes this file too.
#pragma once

namespace specmv {

// Indices of the counting results: the smallest and the largest local column, the number of blocks,
// 1 if block rows are left to the host, and the number of steps of all slices.
enum : int {
  kBcsrLeast = 0,
  kBcsrMost = 1,
  kBcsrBlocks = 2,
  kBcsrLeft = 3,
  kBcsrSteps = 4,
  kBcsrFound = 5
};

// The maximum number of rows and columns of a block.
enum : int { kBcsrMaxSide = 8 };

// col / c is col * factor >> shift, exact for 31 bits: with 2^(k-1) < c <= 2^k the factor is less
// than 2^(31+k) / c + 1, so the error of col times the factor is less than 2^(31+k) / c.
constexpr int bcsrShift(int c) { return 31 + (c > 1) + (c > 2) + (c > 4); }
constexpr unsigned bcsrFactor(int c) {
  return static_cast<unsigned>(((1ULL << bcsrShift(c)) + static_cast<unsigned>(c) - 1) /
                               static_cast<unsigned>(c));
}

// A warp merges the rows of a block row, so longer rows are left to the host. This length takes
// some thousand rounds.
enum : int { kMaxMergedRow = 16384 };

// The capacity of the tile of a block of threads: bytes of values, and steps (of 32 blocks each).
// Both together fit in 48 KB of shared memory.
enum : int { kBcsrTileBytes = 32768, kBcsrTileSteps = 16 };

// The capacity of the tile if all blocks are full. Both together fit in 48 KB with 64-bit columns.
enum : int { kBcsrFullBytes = 34816, kBcsrFullSteps = 31 };
// The values of a block are contiguous, and those of the next block begin an odd number of values
// later; so do the block rows of a tile if they are one lane wide. Lanes that access the same place
// of different blocks or block rows then use different banks.
constexpr int bcsrBlockStride(int places) { return places | 1; }
constexpr int bcsrRowBlocks(int tileSteps, int laneBits) { return (tileSteps | 1) << laneBits; }

// i / places is i * factor >> 16 for the lines of a tile, which are fewer than 2^16 / 64: the
// factor is too large by at most 1.
constexpr int bcsrLineFactor(int places) { return 65536 / places + 1; }

// The most block rows that a warp takes at a time if all blocks are full.
enum : int {
  kBcsrMaxGroups = 4,
  // The most block rows and slices of a tile: those of one slice, and one slice for each warp.
  kBcsrTileRows = 32,
  kBcsrTileSlices = 8,
};

} // namespace specmv
