// Counts the properties that can be computed row by row: bandwidth, distances, column spans.
#include "models/profile/rows.h"

#include <algorithm>

namespace specmv {

Count saturatingSum(Count a, Count b) {
  Count sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<Count>::max() : sum;
}

template <class I> void RowTotals::addRow(Count row, std::span<const I> cols) {
  const Count first = cols.front(), last = cols.back();
  distSum = saturatingSum(distSum, last - first);
  bandwidth = std::max({bandwidth, row - first, last - row});
}

template void RowTotals::addRow(Count, std::span<const int32_t>);
template void RowTotals::addRow(Count, std::span<const int64_t>);

void RowTotals::add(const RowTotals &other) {
  distSum = saturatingSum(distSum, other.distSum);
  bandwidth = std::max(bandwidth, other.bandwidth);
}

void ColumnRange::widen(const ColumnRange &other) {
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

static SpanCount countSpan(Count blockRows, const std::vector<ColumnRange> &blocks) {
  SpanCount count{blockRows, 0, 0};
  for (const ColumnRange &block : blocks) {
    count.total = saturatingSum(count.total, block.span());
    count.longest = std::max(count.longest, block.span());
  }
  return count;
}

// Merges pairs of neighbouring blocks.
static void halve(std::vector<ColumnRange> &blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const ColumnRange block = std::exchange(blocks[i], {});
    blocks[i / 2].widen(block);
  }
  blocks.resize((blocks.size() + 1) / 2);
}

std::vector<SpanCount> countSpans(std::vector<ColumnRange> blocks) {
  std::vector<SpanCount> spans;
  for (Count blockRows = kSpanRows; blockRows <= kMaxSpanRows; blockRows *= 2) {
    spans.push_back(countSpan(blockRows, blocks));
    halve(blocks);
  }
  return spans;
}

} // namespace specmv
