// How many sectors of x caches miss, from the profile's samples of how much rows share.
#pragma once

#include "generator/format.h"

namespace specmv {

// Rows with entries, and how large x is in them.
struct XOfRows {
  double rows, entriesOfRow; // of rows that are not empty, at least one
  double sectors;            // 32 bytes each
  double entries;
};
XOfRows xOfRows(const SparsityProfile &p, ValueType type);

// Of the entries of groups of so many consecutive rows, the share that is the first of its tile of
// 2^level columns in the group: between the samples and the whole matrix, a power of the rows.
double firstOfTile(const PlanRequest &in, int level, double rows);

// Tiles of so many columns are a sector of 32 bytes, and a line of 128.
constexpr int sectorLevel(ValueType type) { return type == ValueType::f32 ? 3 : 2; }
constexpr int lineLevel(ValueType type) { return sectorLevel(type) + 2; }

// The share of the entries whose sector a cache of so many sectors does not have, if it sees groups
// of at most `rows` rows, which are each `every`-th of consecutive rows: the largest groups whose
// sectors fit.
double missesOfGroups(const PlanRequest &in, double sectors, double rows, double every = 1);

// The same share as firstOfTile() for each `every`-th of consecutive rows, so many of them. A tile
// that n of the consecutive rows read, on average, is read by one of them at least with the
// probability 1 - (1 - 1 / every)^n.
double firstOfTileOfSome(const PlanRequest &in, int level, double rows, double every);

// The sectors that memory delivers to L2, which sees all rows in their order: its working set fills
// up, and then misses are the slope of the working set (Denning, "The working set model for program
// behavior", 1968).
struct FromMemory {
  double sectors = 0;  // with those that are read more than once
  double distinct = 0; // bytes of x that are read at all
};
const FromMemory &xFromMemory(const PlanRequest &in);

} // namespace specmv
