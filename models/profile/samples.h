// Properties that are counted on samples only: blocks, reuse of columns by neighbouring rows, and
// tiles. Rows must ascend. The samples are defined in templates/profile/features.cuh.
#pragma once

#include "models/base/parallel.h"
#include "models/profile/profile.h"

#include <algorithm>
#include <functional>
#include <mutex>

namespace specmv {

template <class I> BlockFill countBlocks(const CsrPattern<I> &a);
template <class I> std::vector<LineCount> countLines(const CsrPattern<I> &a);
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

// The entries before entry e in its row are begin .. e - 1. Since rows ascend, the last of them is
// the nearest, so it stands for all of them.
constexpr Count nearestBefore(Count begin, Count e) { return std::max(begin, e - 1); }

inline void addTo(BlockFill &sum, const BlockFill &part) {
  sum.sampledRows += part.sampledRows;
  sum.sampledEntries += part.sampledEntries;
  for (size_t r = 0; r < sum.blocks.size(); ++r)
    std::transform(part.blocks[r].begin(), part.blocks[r].end(), sum.blocks[r].begin(),
                   sum.blocks[r].begin(), std::plus<>());
}
inline void addTo(ReuseCount &sum, const ReuseCount &part) {
  sum.sampledEntries += part.sampledEntries;
  std::transform(part.first.begin(), part.first.end(), sum.first.begin(), sum.first.begin(),
                 std::plus<>());
}

inline void addTo(std::array<LineCount, 2> &sum, const std::array<LineCount, 2> &part) {
  for (size_t w = 0; w < sum.size(); ++w) {
    sum[w].lines += part[w].lines;
    std::transform(part[w].fours.begin(), part[w].fours.end(), sum[w].fours.begin(),
                   sum[w].fours.begin(), std::plus<>());
  }
}

// Calls count(begin, end, part) on all cores for ranges of 0 .. samples - 1, with zeros in `part`,
// and adds the parts to `sum`.
template <class T, class F> void addSamples(T &sum, Count samples, F &&count) {
  constexpr Count kAtATime = 64; // groups or entries
  std::mutex mutex;
  parallelFor(samples, kAtATime, [&](Count begin, Count end) {
    T part{};
    count(begin, end, part);
    const std::lock_guard<std::mutex> lock(mutex);
    addTo(sum, part);
  });
}

} // namespace specmv
