// Estimates that several formats share when they fill in a plan's Traffic.
#pragma once

#include "generator/format.h"

#include <algorithm>

namespace specmv {

// Bytes of x that L2 delivers, in sectors of 32: a sector that several entries read counts once as
// long as L1 keeps it. L1 keeps all of a short x, else the sectors of some thousand entries, whose
// rows the profile sampled; long rows share few sectors with each other before these are gone.
int64_t gatherBytes(const PlanRequest &in);

// The share of that which `entries` of the matrix cause.
inline int64_t gatherBytesOf(const PlanRequest &in, int64_t entries) {
  const auto all = static_cast<double>(gatherBytes(in));
  return in.profile.nnz == 0 ? 0
                             : static_cast<int64_t>(all * static_cast<double>(entries) /
                                                    static_cast<double>(in.profile.nnz));
}

// Bytes in sectors that L2 moves in addition where rows are sorted by length within windows:
// neighbours of x and y get apart unless their rows are equally long. Counted in groups of 256 and
// 32 rows, in double, on 67 matrices, of which it is the upper quartile: for each row that is not
// as long as another one drawn at random, half a sector of y, and of x half a one in windows of
// 1,024 rows, a whole one in larger ones.
inline int64_t sortedGatherBytes(const SparsityProfile &p, int64_t window) {
  if (window <= 1 || p.rows == 0)
    return 0;
  const auto rows = static_cast<double>(p.rows);
  double alike = 0; // the probability that two rows are equally long
  for (const LengthCount &l : p.lengths)
    alike += static_cast<double>(l.rows) / rows * (static_cast<double>(l.rows) / rows);
  const double sectors = window <= 1024 ? 1 : 1.5;
  return static_cast<int64_t>(32 * sectors * (1 - alike) * rows);
}

inline Count longestRow(const SparsityProfile &p) {
  return p.lengths.empty() ? 0 : p.lengths.back().length;
}

} // namespace specmv
