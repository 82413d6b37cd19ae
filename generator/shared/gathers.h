// Estimates of the traffic of x, from a profile's samples.
#pragma once

#include "generator/format.h"
#include "models/profile/profile.h"

#include <algorithm>

namespace specmv {

// --- Reuse ---------------------------------------------------------------------------------------

// The shares of entries that are first in their tile or block, from a profile's samples.

// A sample of groups of `rows` rows. Of its `sampled` entries, `first` are the first of their tile
// of 2^level columns in their group.
struct GroupReuse {
  int64_t rows;
  Count first, sampled;
  double share() const { return static_cast<double>(first) / static_cast<double>(sampled); }
};

// The two sampled group sizes next to a number of rows, and the place of that number between them,
// in logarithms: 0 at `below`, 1 at `above`.
struct ReuseAround {
  GroupReuse below, above;
  double place;
};

// Beyond the sampled sizes, `below` and `above` are both the nearest one. For a matrix without
// entries, all shares are 1.
ReuseAround reuseAround(const SparsityProfile &p, int level, int64_t rows);

// The number of r x c blocks that have an entry, divided by the number of entries; 1 if the sampled
// groups are empty. It is at least 1 / (r c), the value for full blocks: a sample that cuts blocks
// may give less.
inline double blocksPerEntry(const SparsityProfile &p, int64_t r, int64_t c) {
  const BlockFill &fill = p.blockFill;
  if (fill.sampledEntries == 0)
    return 1;
  const Count blocks = fill.blocks[static_cast<size_t>(r - 1)][static_cast<size_t>(c - 1)];
  return std::max(1 / static_cast<double>(r * c),
                  static_cast<double>(blocks) / static_cast<double>(fill.sampledEntries));
}

// --- Working sets --------------------------------------------------------------------------------

// Estimates how many sectors of x miss the caches, from the profile's samples of sectors that rows
// share.

// Rows with entries, their length, and the size of x.
struct XOfRows {
  double rows, entriesOfRow; // rows that are not empty, at least one
  double sectors;            // 32 bytes each
  double entries;
};
XOfRows xOfRows(const SparsityProfile &p, ValueType type);

// The share of entries that are the first of their tile of 2^level columns in a group of `rows`
// consecutive rows. Between the samples and the whole matrix, it is a power of the rows.
double firstOfTile(const PlanRequest &in, int level, double rows);

// The levels at which a tile is a sector of 32 bytes, and a line of 128 bytes.
constexpr int sectorLevel(ValueType type) { return type == ValueType::f32 ? 3 : 2; }
constexpr int lineLevel(ValueType type) { return sectorLevel(type) + 2; }

// The share of entries that miss a cache of `sectors` sectors. The cache sees groups of at most
// `rows` rows, each `every`-th of consecutive rows, and keeps the largest groups whose sectors fit.
double missesOfGroups(const PlanRequest &in, double sectors, double rows, double every = 1);

// Like firstOfTile(), but for groups of `rows` rows that are each `every`-th of consecutive rows.
// If n of the consecutive rows read a tile, one of the group reads it with probability 1 - (1 - 1 /
// every)^n.
double firstOfTileOfSome(const PlanRequest &in, int level, double rows, double every);

// The sectors that memory delivers to L2, which sees all rows in their order. Until L2 is full,
// each new sector is a miss. Then the rate of misses is the slope of the working set (Denning, "The
// working set model for program behavior", 1968).
struct FromMemory {
  double sectors = 0;  // counts sectors as often as they are read
  double distinct = 0; // bytes of x that are read at least once
};
const FromMemory &xFromMemory(const PlanRequest &in);

// --- Gathers -------------------------------------------------------------------------------------

// Estimates of the traffic of x, used by several formats.

// Bytes of x that L2 delivers, in sectors of 32 bytes. A sector that several entries read counts
// once as long as L1 keeps it. L1 keeps a short x whole (rate gather.l1Bytes), otherwise the
// sectors of the latest entries (rate gather.l1Entries). The profile's samples say how many sectors
// the rows of these entries share.
int64_t gatherBytes(const PlanRequest &in);

// The part of gatherBytes() that `entries` of the matrix's entries cause.
inline int64_t gatherBytesOf(const PlanRequest &in, int64_t entries) {
  const auto all = static_cast<double>(gatherBytes(in));
  return in.profile.nnz == 0 ? 0
                             : static_cast<int64_t>(all * static_cast<double>(entries) /
                                                    static_cast<double>(in.profile.nnz));
}

// The order of the rows' lengths. A row's neighbour is as long as itself, or as long as a row drawn
// at random, with the probability `drawn`; so many rows lie between two of one length on average.
struct OrderOfLengths {
  double drawn = 1, distance = 1;
};
const OrderOfLengths &orderOfLengths(const PlanRequest &in);

// The bytes that L2 moves in addition if rows are sorted by length within windows. Sorting
// separates rows that read neighbouring elements of x and write neighbouring elements of y, unless
// these rows are equally long. The estimate counts each row whose length differs from that of its
// neighbour. Such a row costs half a sector of y, and half a sector of x for windows up to
// 1,024 rows or a whole one for larger windows. These numbers are the upper quartile of counts on
// 67 matrices, in double, in groups of 256 and 32 rows.
inline int64_t sortedGatherBytes(const PlanRequest &in, int64_t window) {
  if (window <= 1 || in.profile.rows == 0)
    return 0;
  const OrderOfLengths &order = orderOfLengths(in);
  const double sectors = window <= 1024 ? 1 : 1.5;
  return static_cast<int64_t>(32 * sectors * order.drawn * (1 - 1 / order.distance) *
                              static_cast<double>(in.profile.rows));
}

// The part `share` of sortedGatherBytes(), in sectors.
inline int64_t sortedSectors(const PlanRequest &in, int64_t window, double share) {
  return static_cast<int64_t>(share * static_cast<double>(sortedGatherBytes(in, window)) / 32);
}

inline Count longestRow(const SparsityProfile &p) {
  return p.lengths.empty() ? 0 : p.lengths.back().length;
}

} // namespace specmv
