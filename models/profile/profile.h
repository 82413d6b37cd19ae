// The profile of a matrix's sparsity: all that plans() may know of a matrix. Every stored number is
// an integer, so that its serialization (signature.h) is the same on every machine.
#pragma once

#include "models/csr.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace specmv {

using Count = int64_t;

// Rows of a given length; a list of these in ascending order of length is the PMF times rows.
struct LengthCount {
  Count length, rows;
  bool operator==(const LengthCount &) const = default;
};

// Entries on the diagonal col - row = offset.
struct DiagonalCount {
  Count offset, entries;
  bool operator==(const DiagonalCount &) const = default;
};

// Storage of a sliced ELL: sum over slices of `slice` rows of slice x its longest row, when rows
// are sorted by descending length inside windows of `window` rows (1: not sorted).
struct SliceCount {
  Count slice, window, padded;
  bool operator==(const SliceCount &) const = default;
};

// Column spans (last column - first column + 1, 0 if empty) of aligned blocks of `blockRows` rows;
// the total is at most 2^63 - 1.
struct SpanCount {
  Count blockRows, total, longest;
  bool operator==(const SpanCount &) const = default;
};

// Tiles of a density d^2 2^-(bin+1) < entries <= d^2 2^-bin. The last bin takes the sparser rest,
// the first one also tiles that duplicates fill beyond d^2.
struct DensityBin {
  Count tiles, entries;
  bool operator==(const DensityBin &) const = default;
};
constexpr int kDensityBins = 16;

// The aligned d x d tiles that hold an entry.
struct TileCount {
  Count d;
  Count tiles;
  Count segments; // pairs (row, tile) that hold an entry
  Count padded16; // sum over segments of the length rounded up to 16 (the QCSR paper's alignment)
  std::array<DensityBin, kDensityBins> density;
  bool operator==(const TileCount &) const = default;
};

// Aligned r x c blocks, r and c in 1 .. 8, that hold one of the sampled entries: those of whole
// chunks of 840 rows, of which the first columns only where no chunk has at most 65,536.
struct BlockFill {
  Count sampledRows, sampledEntries;
  std::array<std::array<Count, 8>, 8> blocks; // [r - 1][c - 1]
  bool operator==(const BlockFill &) const = default;
};

// Distinct 32-byte sectors of x that aligned groups of rows touch, for x of float and of double,
// and the entries of the groups that were sampled.
struct SectorCount {
  Count groupRows; // 32 (a warp, a row per lane) or 256 (a block)
  Count sampledEntries;
  Count sectorsF32, sectorsF64;
  bool operator==(const SectorCount &) const = default;
};

constexpr Count kMaxListedDiagonals = 256;

struct SparsityProfile {
  Count rows = 0, cols = 0, nnz = 0;
  // Sum modulo 2^128 (low, high) of a mix of each entry's (row, column), defined in fingerprint.h:
  // independent of the order of entries.
  std::array<uint64_t, 2> fingerprint{};
  std::vector<LengthCount> lengths;
  Count distSum = 0;   // sum over rows of last - first column, at most 2^63 - 1
  Count bandwidth = 0; // max |i - j|
  Count occupiedDiagonals = 0;
  // The occupied diagonals if at most 256, else the 256 fullest (of equally full ones those of
  // smaller offset); by ascending offset.
  std::vector<DiagonalCount> diagonals;
  BlockFill blockFill{};
  std::vector<SliceCount> slices; // slice 2 .. 128, windows 1, 1024, 16384
  std::vector<SpanCount> spans;   // 32 .. 4096 rows
  std::vector<TileCount> tiles;   // d = 16 .. 65536
  std::vector<SectorCount> sectors;
  // blockFill or sectors read only a part of the entries, as they do above 65,536.
  bool sampled = false;

  bool operator==(const SparsityProfile &) const = default;
};

// Profiles the pattern of a valid matrix. Reads rowPtr and col only; the result depends neither on
// the order of a row's entries nor on the index type or the number of threads. O(nnz) time (each
// row whose columns do not ascend is sorted) and O(rows + cols) memory for each thread, which no
// declared number of columns alone can take.
SparsityProfile profile(const CsrView &a);

// Statistics of the row length X over all rows, empty ones included; 0 for a matrix of no rows.
struct RowStatistics {
  double mean = 0;     // E(X), PMF paper eq 6; the HCGHYB paper's anpr
  double variance = 0; // the HCGHYB paper's npr variance, of the population
  double std = 0;      // sigma, eq 9
  double skewness = 0; // gamma, eq 10; 0 where std is 0
  Count max = 0, min = 0, mode = 0;
  Count emptyRows = 0;
  double distavg = 0; // mean over rows of last - first column
};
RowStatistics rowStatistics(const SparsityProfile &p);

// The W-fractiles a_i = min{a : P(X <= a) >= i/W}, i = 1 .. W (PMF paper eq 11).
std::vector<Count> fractiles(const std::vector<LengthCount> &lengths, Count w);

} // namespace specmv
