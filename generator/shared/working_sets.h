// Estimates how many sectors of x miss the caches, from the profile's samples of sectors that rows
// share.
#pragma once

#include "generator/format.h"

namespace specmv {

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

} // namespace specmv
