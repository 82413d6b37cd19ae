// Counts row lengths and padding in one pass over rowPtr, and distances in one over the columns.
#include "models/profile/rows.h"

#include "models/base/parallel.h"
#include "models/profile/profile.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>

namespace specmv {

// --- Lengths -------------------------------------------------------------------------------------

// Counts row lengths and the padding of slices in one pass over rowPtr. Counting the lengths of a
// window replaces sorting them.

constexpr int kSliceSizes = 7; // 2, 4, .. 128
constexpr Count kNarrow = 1024, kWide = 16384;
constexpr std::array<Count, 3> kWindows{1, kNarrow, kWide};

// Padded entries by slice size; [0] is for slices of 2 rows.
using Padded = std::array<Count, kSliceSizes>;

constexpr Count sliceOf(int size) { return Count{2} << size; }

namespace {
struct Totals {
  std::array<Padded, kWindows.size()> padded{};
  LengthCounter lengths;
};
} // namespace

void LengthCounter::add(Count length, Count rows) {
  if (length >= kDirect) {
    longer_.push_back({length, rows});
    return;
  }
  direct_[static_cast<size_t>(length)] += rows;
  end_ = std::max(end_, length + 1);
}

// Merges neighbours of the same length. The list ascends.
static void joinEqual(std::vector<LengthCount> &list) {
  size_t kept = 0;
  for (size_t i = 1; i < list.size(); ++i)
    if (list[i].length == list[kept].length)
      list[kept].rows += list[i].rows;
    else
      list[++kept] = list[i];
  list.resize(std::min(list.size(), kept + 1));
}

std::vector<LengthCount> LengthCounter::take() {
  std::sort(longer_.begin(), longer_.end(),
            [](const LengthCount &a, const LengthCount &b) { return a.length < b.length; });
  joinEqual(longer_);
  std::vector<LengthCount> list;
  for (Count length = 0; length < end_; ++length)
    if (Count &rows = direct_[static_cast<size_t>(length)]; rows > 0)
      list.push_back({length, std::exchange(rows, 0)});
  list.insert(list.end(), longer_.begin(), longer_.end());
  longer_.clear();
  end_ = 0;
  return list;
}

// Adds the slices of rows in their order. In each step, pairs of neighbours in the list of lengths
// are replaced by the longer of the two.
static void addUnsorted(std::span<const Count> rows, Padded &padded) {
  std::vector<Count> longest(rows.begin(), rows.end());
  for (int size = 0; size < kSliceSizes; ++size) {
    const size_t slices = (longest.size() + 1) / 2;
    Count sum = 0;
    for (size_t i = 0; i < slices; ++i) {
      longest[i] = std::max(longest[2 * i], longest[std::min(2 * i + 1, longest.size() - 1)]);
      sum += longest[i];
    }
    longest.resize(slices);
    padded[static_cast<size_t>(size)] += sliceOf(size) * sum;
  }
}

// Adds the slices of rows by descending length, from the counts of lengths. Rows of one length have
// the places begin .. end-1, and a slice is as wide as the row at its first place.
static void addSorted(const std::vector<LengthCount> &ascending, Count rows, Padded &padded) {
  Count end = rows;
  for (const LengthCount &l : ascending) {
    const Count begin = end - l.rows;
    for (int size = 0; size < kSliceSizes; ++size) {
      const Count slice = sliceOf(size);
      const Count firstPlaces = (end + slice - 1) / slice - (begin + slice - 1) / slice;
      padded[static_cast<size_t>(size)] += slice * l.length * firstPlaces;
    }
    end = begin;
  }
}

// Adds one wide window to the totals.
static void addWindow(std::span<const Count> rows, Totals &totals) {
  addUnsorted(rows, totals.padded[0]);
  LengthCounter narrow, wide;
  for (size_t begin = 0; begin < rows.size(); begin += kNarrow) {
    const auto window = rows.subspan(begin, std::min<size_t>(kNarrow, rows.size() - begin));
    for (Count length : window)
      narrow.add(length, 1);
    const std::vector<LengthCount> counts = narrow.take();
    addSorted(counts, std::ssize(window), totals.padded[1]);
    for (const LengthCount &l : counts)
      wide.add(l.length, l.rows);
  }
  const std::vector<LengthCount> counts = wide.take();
  addSorted(counts, std::ssize(rows), totals.padded[2]);
  for (const LengthCount &l : counts)
    totals.lengths.add(l.length, l.rows);
}

static void addTotals(Totals &sum, Totals &part) {
  for (size_t window = 0; window < kWindows.size(); ++window)
    for (size_t size = 0; size < kSliceSizes; ++size)
      sum.padded[window][size] += part.padded[window][size];
  for (const LengthCount &l : part.lengths.take())
    sum.lengths.add(l.length, l.rows);
}

template <class I> LengthProfile profileLengths(const CsrPattern<I> &a) {
  Totals totals;
  std::mutex mutex;
  parallelFor(a.rows, kWide, [&](Count begin, Count end) {
    std::vector<Count> rows;
    for (Count row = begin; row < end; ++row)
      rows.push_back(static_cast<Count>(a.rowPtr[row + 1]) - a.rowPtr[row]);
    Totals part;
    addWindow(rows, part);
    const std::lock_guard<std::mutex> lock(mutex);
    addTotals(totals, part);
  });
  LengthProfile result{totals.lengths.take(), {}};
  for (size_t window = 0; window < kWindows.size(); ++window)
    for (int size = 0; size < kSliceSizes; ++size)
      result.slices.push_back(
          {sliceOf(size), kWindows[window], totals.padded[window][static_cast<size_t>(size)]});
  return result;
}

template LengthProfile profileLengths(const CsrPattern<int32_t> &);
template LengthProfile profileLengths(const CsrPattern<int64_t> &);

// --- Row statistics ------------------------------------------------------------------------------

// Computes mean, spread and fractiles of the row lengths (Li, Yang and Li 2015, equations 6, 9, 10
// and 11) from their counts.

namespace {
// Sums over rows of the second and third power of the deviation from the mean.
struct Deviations {
  double squares = 0, cubes = 0;
};
} // namespace

// Takes lengths relative to the shortest, so that the deviation is exactly 0 if all rows have the
// same length, however long they are.
static Deviations deviations(const std::vector<LengthCount> &lengths, double rows) {
  Count shortest = lengths.front().length;
  double sum = 0;
  for (const LengthCount &l : lengths)
    sum += static_cast<double>(l.length - shortest) * static_cast<double>(l.rows);
  double mean = sum / rows;
  Deviations result;
  for (const LengthCount &l : lengths) {
    double d = static_cast<double>(l.length - shortest) - mean;
    double squares = d * d * static_cast<double>(l.rows);
    result.squares += squares;
    result.cubes += squares * d;
  }
  return result;
}

static Count entries(const std::vector<LengthCount> &lengths) {
  Count sum = 0;
  for (const LengthCount &l : lengths)
    sum += l.length * l.rows;
  return sum;
}

// Returns the smallest of the most frequent lengths.
static Count mode(const std::vector<LengthCount> &lengths) {
  LengthCount best{0, 0};
  for (const LengthCount &l : lengths)
    if (l.rows > best.rows)
      best = l;
  return best.length;
}

RowStatistics rowStatistics(const SparsityProfile &p) {
  RowStatistics r;
  if (p.rows == 0 || p.lengths.empty())
    return r;
  auto rows = static_cast<double>(p.rows);
  Deviations d = deviations(p.lengths, rows);
  r.mean = static_cast<double>(entries(p.lengths)) / rows;
  r.variance = d.squares / rows;
  r.std = std::sqrt(r.variance);
  r.skewness = r.std > 0 ? d.cubes / rows / (r.variance * r.std) : 0;
  r.min = p.lengths.front().length;
  r.max = p.lengths.back().length;
  r.mode = mode(p.lengths);
  r.emptyRows = r.min == 0 ? p.lengths.front().rows : 0;
  r.distavg = static_cast<double>(p.distSum) / rows;
  return r;
}

std::vector<Count> fractiles(const std::vector<LengthCount> &lengths, Count w) {
  Count rows = 0;
  for (const LengthCount &l : lengths)
    rows += l.rows;
  std::vector<Count> a;
  Count seen = 0;
  for (const LengthCount &l : lengths) {
    seen += l.rows;
    // P(X <= length) >= i / W, in integers
    while (static_cast<Count>(a.size()) < w &&
           seen * w >= (static_cast<Count>(a.size()) + 1) * rows)
      a.push_back(l.length);
  }
  a.resize(static_cast<size_t>(w)); // a matrix without rows: all 0
  return a;
}

// --- Rows ----------------------------------------------------------------------------------------

// Counts the properties that can be computed row by row: bandwidth, distances, column spans.

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
