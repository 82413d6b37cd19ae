// Estimates that several formats share when they fill in a plan's Traffic.
#pragma once

#include "models/profile.h"

#include <algorithm>

namespace specmv {

// Bytes of x that L2 delivers: the distinct 32-byte sectors that 256 consecutive rows touch, from
// the profile's sample; what a block reads twice its L1 is assumed to keep.
inline int64_t gatherBytes(const SparsityProfile &p, ValueType type) {
  double perEntry = 1;
  for (const SectorCount &s : p.sectors)
    if (s.groupRows == 256 && s.sampledEntries > 0)
      perEntry = static_cast<double>(type == ValueType::f32 ? s.sectorsF32 : s.sectorsF64) /
                 static_cast<double>(s.sampledEntries);
  return static_cast<int64_t>(32 * perEntry * static_cast<double>(p.nnz));
}

// The share of that which `entries` of the matrix cause.
inline int64_t gatherBytesOf(const SparsityProfile &p, ValueType type, int64_t entries) {
  const auto all = static_cast<double>(gatherBytes(p, type));
  return p.nnz == 0 ? 0
                    : static_cast<int64_t>(all * static_cast<double>(entries) /
                                           static_cast<double>(p.nnz));
}

inline Count longestRow(const SparsityProfile &p) {
  return p.lengths.empty() ? 0 : p.lengths.back().length;
}

} // namespace specmv
