// Numbers that the packing of BCSR and its kernels must agree on. Constants only: the generator
// includes this file too.
#pragma once

namespace specmv {

// The places of what is found: the least and the greatest local column, the number of blocks, and 1
// if block rows are left to the host.
constexpr int kBcsrLeast = 0, kBcsrMost = 1, kBcsrBlocks = 2, kBcsrLeft = 3, kBcsrFound = 4;

// Rows and columns of a block.
constexpr int kBcsrMaxSide = 8;

// A warp merges the rows of a block row, so longer ones are left to the host: this many take some
// thousand rounds.
constexpr int kMaxMergedRow = 16384;

// What the tile of a block of threads holds: bytes of values, and steps (of 32 blocks each). Both
// together fit 48 KB of shared memory.
constexpr int kBcsrTileBytes = 32768, kBcsrTileSteps = 16;

} // namespace specmv
