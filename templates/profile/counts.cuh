// What the profile's kernels count, as places in arrays of 64-bit words, and their shapes.
// Constants only: the generator includes this file too.
#pragma once
#include "profile/features.cuh"

namespace specmv {

// --- Shapes
// ---------------------------------------------------------------------------------------
constexpr int kProfileBlock = 256;

// Rows of the windows that slices are sorted in: a warp counts a narrow one, a block a wide one.
// All narrow windows of a wide one are counted at the same time.
constexpr int kNarrowWindow = 1024, kWideWindow = 16384;
constexpr int kRowsBlock = kWideWindow / kNarrowWindow * 32;
constexpr int kSliceSizes = 7; // 2, 4 .. 128
// Lengths below this are counted, the lengths of longer rows are listed. A block has this many
// counters for each of its warps.
constexpr int kCountedLengths = 512;

// A block that walks over the entries has a table of diagonals: the fewer blocks, the less is added
// up.
constexpr int kEntriesBlock = 512;
// Blocks of this many rows have a range of columns; kRangesPerSpan of them are the longest block
// whose span is counted.
constexpr int kRangeRows = 32, kRangesPerSpan = 128, kSpanSizes = 8; // 32 .. 4096 rows
// Diagonals that are counted one by one; if there are more, only their number is wanted.
constexpr int kCountedDiagonals = 256;
// Slots of the hash tables of diagonals, twice as many.
constexpr int kDiagonalSlots = 512;

// Bins of nearestWidth(): 0 .. kReuseLevels - 1, and one for all that is wider or none.
constexpr int kReuseBins = kReuseLevels + 1;

// --- Places
// ---------------------------------------------------------------------------------------
constexpr int kManyDiagonals = 0; // more than kCountedDiagonals, or a row has more entries
constexpr int kDiagonals = 1;     // that are in the table below
constexpr int kDistSum = 2;       // modulo 2^64, right if no row is unsorted
constexpr int kRowDescents = 3;   // rows whose first column is below the last one before it
constexpr int kBandwidth = 4;     // right if no row is unsorted
constexpr int kLongRows = 5;      // listed rows
constexpr int kSampledInGroups = 6;
constexpr int kLengths = 16;                                       // rows of each length
constexpr int kSlices = kLengths + kCountedLengths;                // [3 windows][kSliceSizes]
constexpr int kSpanTotal = kSlices + 3 * kSliceSizes;              // [kSpanSizes]
constexpr int kSpanLongest = kSpanTotal + kSpanSizes;              // [kSpanSizes]
constexpr int kBlocks = kSpanLongest + kSpanSizes;                 // [r - 1][c - 1]
constexpr int kReuse = kBlocks + kBlockSides * kBlockSides;        // [kReuseGroups][kReuseBins]
constexpr int kTiles = kReuse + kReuseGroups * kReuseBins;         // [kTileLevels][kDensityBins]
constexpr int kDiagonalKeys = kTiles + kTileLevels * kDensityBins; // offset + 2^63; 0: free
constexpr int kDiagonalCounts = kDiagonalKeys + kDiagonalSlots;
constexpr int kProfileWords = kDiagonalCounts + kDiagonalSlots;

// What fingerprint() finds.
constexpr int kFingerprint = 0; // two words
constexpr int kDescents = 2;    // entries whose column is below that of the one before, in any row
constexpr int kFault = 3;       // rowPtr is none, or a column is out of range
constexpr int kFoundWords = 4;

} // namespace specmv
