// Shapes of the blocks of BCSR, as the profile tells of them.
#pragma once

#include "generator/formats/bcsr/layout.h"

namespace specmv {

// The blocks of one shape, estimated from the profile.
struct BlockShape {
  int64_t r, c;
  double blocks; // blocks that have an entry
  double bytes;  // bytes of values, columns and masks for each entry
  bool full;     // in the sample
};

// Returns true if 16 bits are enough for the distance of every block's column from the diagonal.
// The bandwidth is a bound of it, plus a block on either side for rounding.
bool isBcsrLocal(const SparsityProfile &p, int64_t r, int64_t c);

// The bytes that the coding of the values stores for a slot, on average over many.
double bcsrBytesPerSlot(const PlanRequest &in);
BlockShape blockShapeOf(const PlanRequest &in, int64_t r, int64_t c, double perSlot);

// The slices and steps of blocks of this shape.
BcsrCounts bcsrCountsOf(const SparsityProfile &p, const BlockShape &shape, int64_t lanes);

} // namespace specmv
