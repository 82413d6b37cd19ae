// The profile of a matrix's sparsity: everything that plans() may know of a matrix. All of its
// numbers are integers, so that its serialization (signature.h) is the same on every machine. The
// counts per entry are defined in templates/profile/features.cuh, which kernels compile too.
#pragma once

#include "models/profile/fingerprint.h"
#include "templates/profile/features.cuh"
#include "templates/profile/line_features.cuh"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace specmv {

using Count = int64_t;

// The number of rows of one length. A list of these, by ascending length, is the probability mass
// function (PMF) of the row lengths times the number of rows.
struct LengthCount {
  Count length, rows;
  bool operator==(const LengthCount &) const = default;
};

// The number of entries on the diagonal col - row = offset.
struct DiagonalCount {
  Count offset, entries;
  bool operator==(const DiagonalCount &) const = default;
};

// Slots of a sliced ELL with slices of `slice` rows: the sum over slices of `slice` x the longest
// row of the slice. Rows are sorted by descending length within windows of `window` rows (1: not
// sorted).
struct SliceCount {
  Count slice, window, padded;
  bool operator==(const SliceCount &) const = default;
};

// The lines of a sample of slices of kLineRows rows, whose rows are sorted by descending length
// within windows of `window` rows (1: not sorted), and their fours by the bytes of their offsets
// (templates/profile/line_features.cuh). The sample consists of windows of kLineWindow rows.
struct LineCount {
  Count window, lines;
  std::array<Count, kMostOffsetBytes> fours; // with i + 1 bytes
  bool operator==(const LineCount &) const = default;
};

// Column spans (last column - first column + 1, 0 if empty) of aligned blocks of `blockRows` rows;
// the total is at most 2^63 - 1.
struct SpanCount {
  Count blockRows, total, longest;
  bool operator==(const SpanCount &) const = default;
};

// blocks[r - 1][c - 1] counts the sampled entries that are the first of their aligned r x c block,
// in the order of rows and then of columns. It is the number of blocks that belong to the sample.
// The search for earlier entries covers the whole matrix. The sample consists of groups of 24 rows,
// with at most 4,096 entries of each row.
struct BlockFill {
  Count sampledRows, sampledEntries;
  std::array<std::array<Count, kBlockSides>, kBlockSides> blocks;
  bool operator==(const BlockFill &) const = default;
};

// first[k] counts the sampled entries that are the first of their aligned group of rows in their
// tile of 2^k columns. It is the number of tiles that groups of rows read. For single rows the
// sample is that of BlockFill, otherwise it is entries at equal distances. Tiles below 4 columns
// are not searched, so first[0] and first[1] count all sampled entries.
struct ReuseCount {
  Count groupRows; // 1, 32 or 256
  Count sampledEntries;
  std::array<Count, kReuseLevels> first;
  bool operator==(const ReuseCount &) const = default;
};

// bins[i] counts the sampled entries in aligned d x d tiles with a density of i/16 up to (i +
// 1)/16. The last bin also has those of denser tiles, which duplicates make possible. The density
// is that of at most 32 rows of the tile. At the right edge, too, the width counts as d columns.
struct TileDensity {
  Count d, sampledEntries;
  std::array<Count, kDensityBins> bins;
  bool operator==(const TileDensity &) const = default;
};

constexpr Count kMaxListedDiagonals = 256;

struct SparsityProfile {
  Count rows = 0, cols = 0, nnz = 0;
  Fingerprint fingerprint{}; // does not depend on the order of a row's entries
  std::vector<LengthCount> lengths;
  Count distSum = 0;   // the sum over rows of last - first column, at most 2^63 - 1
  Count bandwidth = 0; // max |i - j|
  // The number of occupied diagonals. It is kMaxListedDiagonals + 1 if there are more, or if a row
  // has more entries, even if some are repeated.
  Count occupiedDiagonals = 0;
  // The occupied diagonals by ascending offset; empty if there are more than 256.
  std::vector<DiagonalCount> diagonals;
  BlockFill blockFill{};
  std::vector<SliceCount> slices; // slice 2 .. 128, windows 1, 1024, 16384
  std::vector<LineCount> lines;   // windows 1, 1024
  std::vector<SpanCount> spans;   // 32 .. 4096 rows
  std::vector<ReuseCount> reuse;  // groups of 1, 32 and 256 rows
  std::vector<TileDensity> tiles; // d = 16 .. 65536
  // True if blockFill or reuse was counted on a part of the entries.
  bool sampled = false;

  bool operator==(const SparsityProfile &) const = default;
};

// Profiles the pattern of a valid matrix. Reads only rowPtr and col. The result depends neither on
// the order of a row's entries nor on the index type or the number of threads. Takes O(nnz) time
// and O(rows) memory, plus a copy of `col` if some rows do not ascend; the copy is then sorted.
SparsityProfile profile(const CsrView &a);

// Statistics of the row length X over all rows, including empty ones; 0 for a matrix without rows.
struct RowStatistics {
  double mean = 0;     // E(X), Li, Yang and Li 2015, eq 6; anpr of AlAhmadi et al. 2020
  double variance = 0; // of the population; npr variance of AlAhmadi et al. 2020
  double std = 0;      // sigma, eq 9
  double skewness = 0; // gamma, eq 10; 0 where std is 0
  Count max = 0, min = 0, mode = 0;
  Count emptyRows = 0;
  double distavg = 0; // mean over rows of last - first column
};
RowStatistics rowStatistics(const SparsityProfile &p);

// The W-fractiles a_i = min{a : P(X <= a) >= i/W}, i = 1 .. W (Li, Yang and Li 2015, eq 11).
std::vector<Count> fractiles(const std::vector<LengthCount> &lengths, Count w);

} // namespace specmv
