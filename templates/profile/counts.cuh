// Indices of the profile kernels' counts in arrays of 64-bit words, and the shapes of these arrays.
// Contains only constants, because the generator includes this file too.
#pragma once
#include "profile/features.cuh"
#include "profile/line_features.cuh"

namespace specmv {

// --- Shapes
// ---------------------------------------------------------------------------------------
enum : int { kProfileBlock = 256 };

// The number of rows in the windows within which slices are sorted: a warp counts a narrow window,
// a block a wide one. All narrow windows of a wide one are counted at the same time.
enum : int {
  kNarrowWindow = 1024,
  kWideWindow = 16384,
  kRowsBlock = kWideWindow / kNarrowWindow * 32,
  kSliceSizes = 7, // 2, 4 .. 128
  // Lengths below this are counted; the lengths of longer rows are listed. A block has this many
  // counters for each of its warps.
  kCountedLengths = 512,
};

// A block that walks over the entries has a table of diagonals, so fewer blocks mean fewer tables
// to add.
enum : int {
  kEntriesBlock = 512,
  // Blocks of this many rows have a range of columns. kRangesPerSpan of these ranges form the
  // largest block of rows whose span is counted.
  kRangeRows = 32,
  kRangesPerSpan = 128,
  kSpanSizes = 8, // 32 .. 4096 rows
  // Diagonals that are counted one by one; if there are more, only this fact is needed.
  kCountedDiagonals = 256,
  // Slots of the hash tables of diagonals: twice as many as diagonals.
  kDiagonalSlots = 512,
};

// Bins of nearestWidth(): 0 .. kReuseLevels - 1, and one for larger widths or none.
enum : int { kReuseBins = kReuseLevels + 1 };

// --- Places
// ---------------------------------------------------------------------------------------
enum : int {
  kManyDiagonals = 0, // more than kCountedDiagonals, or a row has more entries
  kDiagonals = 1,     // number of those in the table below
  kDistSum = 2,       // modulo 2^64, valid if all rows are sorted
  kRowDescents = 3,   // rows whose first column is below the last column of the row before
  kBandwidth = 4,     // valid if all rows are sorted
  kLongRows = 5,      // number of listed rows
  kSampledInGroups = 6,
  kLengths = 16,                                       // rows of each length
  kSlices = kLengths + kCountedLengths,                // [3 windows][kSliceSizes]
  kSpanTotal = kSlices + 3 * kSliceSizes,              // [kSpanSizes]
  kSpanLongest = kSpanTotal + kSpanSizes,              // [kSpanSizes]
  kBlocks = kSpanLongest + kSpanSizes,                 // [r - 1][c - 1]
  kReuse = kBlocks + kBlockSides * kBlockSides,        // [kReuseGroups][kReuseBins]
  kTiles = kReuse + kReuseGroups * int{kReuseBins},    // [kTileLevels][kDensityBins]
  kLines = kTiles + kTileLevels * int{kDensityBins},   // [2 windows][lines, then fours]
  kDiagonalKeys = kLines + 2 * (1 + kMostOffsetBytes), // offset + 2^63; 0: free
  kDiagonalCounts = kDiagonalKeys + kDiagonalSlots,
  kProfileWords = kDiagonalCounts + kDiagonalSlots,
};

// The results of fingerprint().
enum : int {
  kFingerprint = 0, // two words
  kDescents = 2,    // entries whose column is below that of the previous one, in any row
  kFault = 3,       // rowPtr is invalid, or a column is out of range
  kFoundWords = 4,
};

} // namespace specmv
