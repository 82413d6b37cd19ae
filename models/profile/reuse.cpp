// Counts how often entries of a group of rows share tiles of columns. From these counts follow the
// part of x that L2 must deliver, and the cuts of rows at tiles.
#include "models/profile/samples.h"

namespace specmv {

// Returns how close earlier entries in an entry's group of rows come to its column, as the bit
// width of the narrowest tile that has both. The nearest rows are searched first, since they are
// the most likely to be near enough.
template <class I>
static int widthBefore(const CsrPattern<I> &a, Count groupRows, Count row, Count entry) {
  const Count column = a.col[entry], top = row / groupRows * groupRows;
  int width = nearestWidth(a.col, nearestBefore(a.rowPtr[row], entry), entry, column);
  for (Count above = row - 1; above >= top && width > kNearEnough; --above)
    width = std::min(width, nearestWidth(a.col, a.rowPtr[above], a.rowPtr[above + 1], column));
  return std::max<int>(width, kNearEnough);
}

static void addWidth(int width, ReuseCount &count) {
  ++count.sampledEntries;
  for (int level = 0; level < kReuseLevels; ++level)
    count.first[static_cast<size_t>(level)] += width > level;
}

// Counts single rows on the sample of the blocks.
template <class I> static ReuseCount reuseOfRows(const CsrPattern<I> &a) {
  ReuseCount count{1, 0, {}};
  addSamples(count, sampledGroups(a.rows, a.nnz), [&](Count first, Count last, ReuseCount &part) {
    forSampledRows(a, first, last, [&](Count row, Count begin, Count end) {
      for (Count e = begin; e < end; ++e)
        addWidth(widthBefore(a, 1, row, e), part);
    });
  });
  return count;
}

template <class I> static ReuseCount reuseOfGroups(const CsrPattern<I> &a, int groupRows) {
  ReuseCount count{groupRows, 0, {}};
  const Count samples = sampledForReuse(groupRows, a.nnz);
  addSamples(count, samples, [&](Count begin, Count end, ReuseCount &part) {
    for (Count k = begin; k < end; ++k) {
      const Count entry = evenlySpread(k, samples, a.nnz);
      addWidth(widthBefore(a, groupRows, rowOfEntry(a.rowPtr, a.rows, entry), entry), part);
    }
  });
  return count;
}

template <class I> std::vector<ReuseCount> countReuse(const CsrPattern<I> &a) {
  std::vector<ReuseCount> counts = {reuseOfRows(a)};
  for (int group = 1; group < kReuseGroups; ++group)
    counts.push_back(reuseOfGroups(a, reuseRows(group)));
  return counts;
}

template std::vector<ReuseCount> countReuse(const CsrPattern<int32_t> &);
template std::vector<ReuseCount> countReuse(const CsrPattern<int64_t> &);

} // namespace specmv
