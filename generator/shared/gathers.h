// Estimates of the traffic of x, used by several formats.
#pragma once

#include "generator/format.h"

#include <algorithm>

namespace specmv {

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
