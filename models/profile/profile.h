// The profile of a matrix's sparsity: all that plans() may know of a matrix. All numbers in it are
// integers, so that its serialization (signature.h) is the same on every machine.
#pragma once

#include "models/csr.h"

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

// Slots of a sliced ELL: the sum over slices of `slice` x the longest row of the slice, if slices
// have `slice` rows and rows are sorted by descending length within windows of `window` rows (1:
// not sorted).
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

// Tiles with d^2 2^-(bin+1) < entries <= d^2 2^-bin. The last bin also has all sparser tiles, the
// first one also tiles that have more than d^2 entries because of duplicates.
struct DensityBin {
  Count tiles, entries;
  bool operator==(const DensityBin &) const = default;
};
constexpr int kDensityBins = 16;

// The aligned d x d tiles that have an entry.
struct TileCount {
  Count d;
  Count tiles;
  Count segments; // pairs (row, tile) that have an entry
  Count padded16; // the sum over segments of the length rounded up to 16 (Zhang et al. 2013)
  std::array<DensityBin, kDensityBins> density;
  bool operator==(const TileCount &) const = default;
};

// Aligned r x c blocks, r and c in 1 .. 8, that have one of the sampled entries. Sampled are whole
// groups of 840 rows; if each group has more than 65,536 entries, the first columns of one group.
struct BlockFill {
  Count sampledRows, sampledEntries;
  std::array<std::array<Count, 8>, 8> blocks; // [r - 1][c - 1]
  bool operator==(const BlockFill &) const = default;
};

// Distinct 32-byte sectors of x that aligned groups of rows read, for x in float and in double, and
// the entries of the sampled groups.
struct SectorCount {
  Count groupRows; // 32 (a warp with one row a lane) or 256 (a block)
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
  Count distSum = 0;   // the sum over rows of last - first column, at most 2^63 - 1
  Count bandwidth = 0; // max |i - j|
  Count occupiedDiagonals = 0;
  // The occupied diagonals, by ascending offset. If there are more than 256, the 256 fullest; of
  // equally full ones those with smaller offset.
  std::vector<DiagonalCount> diagonals;
  BlockFill blockFill{};
  std::vector<SliceCount> slices; // slice 2 .. 128, windows 1, 1024, 16384
  std::vector<SpanCount> spans;   // 32 .. 4096 rows
  std::vector<TileCount> tiles;   // d = 16 .. 65536
  std::vector<SectorCount> sectors;
  // blockFill or sectors were counted on a part of the entries, as above 65,536 entries.
  bool sampled = false;

  bool operator==(const SparsityProfile &) const = default;
};

// Profiles the pattern of a valid matrix. Reads rowPtr and col only. The result depends neither on
// the order of a row's entries nor on the index type or the number of threads. Takes O(nnz) time;
// rows whose columns do not ascend are sorted. Takes O(rows + cols) memory for each thread, but not
// merely because a matrix with few entries declares very many columns.
SparsityProfile profile(const CsrView &a);

// Statistics of the row length X over all rows, empty ones included; 0 for a matrix without rows.
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
