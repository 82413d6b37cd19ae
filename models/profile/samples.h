// Properties that are counted on samples only.
#pragma once

#include "models/base/parallel.h"
#include "models/csr.h"
#include "models/profile/profile.h"

#include "llvm/Support/Error.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace specmv {

// --- Samples -------------------------------------------------------------------------------------

// Properties that are counted on samples only: blocks, reuse of columns by neighbouring rows, and
// tiles. Rows must ascend. The samples are defined in templates/profile/features.cuh.

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

// --- Repeated blocks -----------------------------------------------------------------------------

// Estimates from a sample how many blocks of a matrix differ, for plans that number the different
// ones. The blocks depend on their shape, so each shape has a sample.

// A sample has so many blocks, of which so many differ; `once` and `twice` count the blocks that
// were seen just once and just twice. Blocks with more entries are sampled more often.
struct RepeatedBlocks {
  int64_t r = 1, c = 1;
  int64_t sampled = 0, different = 0, once = 0, twice = 0;

  bool operator==(const RepeatedBlocks &) const = default;
  // Estimates how many differ in the whole matrix, by Chao's lower bound of 1984 in its form
  // without bias: those that were not seen are as many as once (once - 1) / (2 (twice + 1)).
  double estimated() const;
};

// Samples the blocks of a valid matrix, which must have values.
RepeatedBlocks repeatedBlocks(const CsrView &a, int64_t r, int64_t c);

// Counts the hashes of sampled blocks.
RepeatedBlocks repeatedAmong(std::span<const uint64_t> hashes, int64_t r, int64_t c);

// Returns the sample of a shape from those that were made; makes it with make() if there is none.
template <class Make>
llvm::Expected<std::optional<RepeatedBlocks>> sampledOnce(std::vector<RepeatedBlocks> &made,
                                                          int64_t r, int64_t c, const Make &make) {
  for (const RepeatedBlocks &sample : made)
    if (sample.r == r && sample.c == c)
      return sample;
  llvm::Expected<RepeatedBlocks> sample = make();
  if (!sample)
    return sample.takeError();
  made.push_back(*sample);
  return *sample;
}

} // namespace specmv
