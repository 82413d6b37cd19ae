// The shares of entries that are first in their tile or block, from a profile's samples.
#pragma once

#include "models/profile/profile.h"

#include <algorithm>

namespace specmv {

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

} // namespace specmv
