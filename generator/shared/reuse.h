// How much entries share tiles and blocks with those before them, from a profile's samples.
#pragma once

#include "models/profile/profile.h"

#include <algorithm>

namespace specmv {

// Of `sampled` entries, `first` are the first of their tile of 2^level columns in their group of
// `rows` rows.
struct GroupReuse {
  int64_t rows;
  Count first, sampled;
  double share() const { return static_cast<double>(first) / static_cast<double>(sampled); }
};

// The two sampled sizes of groups that are next to a number of rows, and where that number is
// between them, in logarithms: 0 at the first, 1 at the second.
struct ReuseAround {
  GroupReuse below, above;
  double place;
};

// Beyond the sizes that have a sample both are the nearest one. Without entries all shares are 1.
ReuseAround reuseAround(const SparsityProfile &p, int level, int64_t rows);

// The r x c blocks that have an entry, for each entry; 1 if the groups that were sampled are empty.
// They are at least as many as would be full: a sample that cuts blocks may have fewer.
inline double blocksPerEntry(const SparsityProfile &p, int64_t r, int64_t c) {
  const BlockFill &fill = p.blockFill;
  if (fill.sampledEntries == 0)
    return 1;
  const Count blocks = fill.blocks[static_cast<size_t>(r - 1)][static_cast<size_t>(c - 1)];
  return std::max(1 / static_cast<double>(r * c),
                  static_cast<double>(blocks) / static_cast<double>(fill.sampledEntries));
}

} // namespace specmv
