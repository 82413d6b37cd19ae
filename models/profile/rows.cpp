// Counts what can be computed row by row: fingerprint, bandwidth, distances, column spans.
#include "models/profile/rows.h"

#include <algorithm>

namespace specmv {

Count saturatingSum(Count a, Count b) {
  Count sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<Count>::max() : sum;
}

template <class I> std::span<const Count> SortedRow::load(const CsrPattern<I> &a, Count row) {
  const I *col = a.col + a.rowPtr[row];
  const auto length = static_cast<size_t>(a.rowPtr[row + 1] - a.rowPtr[row]);
  if (cols_.size() < length)
    cols_.resize(std::max(length, 2 * cols_.size()));
  bool ascending = true;
  Count before = 0;
  for (size_t k = 0; k < length; ++k) {
    const Count c = col[k];
    ascending &= before <= c;
    cols_[k] = before = c;
  }
  const std::span<Count> cols = std::span(cols_).first(length);
  if (!ascending)
    std::sort(cols.begin(), cols.end());
  return cols;
}

template std::span<const Count> SortedRow::load(const CsrPattern<int32_t> &, Count);
template std::span<const Count> SortedRow::load(const CsrPattern<int64_t> &, Count);

void RowTotals::addRow(Count row, std::span<const Count> cols) {
  const MixSeeds seeds = mixRow(kPatternSeeds, row);
  Sum128 sum{};
  for (Count c : cols)
    addTo(sum, mixEntry(seeds, c));
  addTo(fingerprint, sum);
  distSum = saturatingSum(distSum, cols.back() - cols.front());
  bandwidth = std::max({bandwidth, row - cols.front(), cols.back() - row});
}

void RowTotals::add(const RowTotals &other) {
  addTo(fingerprint, other.fingerprint);
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

// Joins blocks in pairs of neighbours.
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
