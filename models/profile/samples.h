// What is counted on samples only: blocks, reuse of columns by neighbouring rows, and tiles. Rows
// ascend. The samples are those of templates/profile/features.cuh.
#pragma once

#include "models/base/parallel.h"
#include "models/profile/profile.h"

#include <algorithm>

namespace specmv {

template <class I> BlockFill countBlocks(const CsrPattern<I> &a);
template <class I> std::vector<ReuseCount> countReuse(const CsrPattern<I> &a);
template <class I> std::vector<TileDensity> countTiles(const CsrPattern<I> &a);

// Calls f(row, begin, end) for the rows of the sampled groups first .. last - 1 and their sampled
// entries begin .. end - 1.
template <class I, class F>
void forSampledRows(const CsrPattern<I> &a, Count first, Count last, F &&f) {
  const Count groups = (a.rows + kSampledRows - 1) / kSampledRows;
  const Count sampled = sampledGroups(a.rows, a.nnz);
  for (Count k = first; k < last; ++k) {
    const Count top = evenlySpread(k, sampled, groups) * kSampledRows;
    for (Count row = top; row < std::min(top + kSampledRows, a.rows); ++row) {
      const Count begin = a.rowPtr[row], end = a.rowPtr[row + 1];
      f(row, begin, std::min(end, begin + kSampledOfRow));
    }
  }
}

// Sampled groups, and single sampled entries, that a thread takes at a time.
constexpr Count kGroupsAtATime = 64, kEntriesAtATime = 128;

// The entries before entry e in its row are begin .. e - 1. Since rows ascend, the one before it is
// the nearest, so it stands for all of them.
constexpr Count nearestBefore(Count begin, Count e) { return std::max(begin, e - 1); }

} // namespace specmv
