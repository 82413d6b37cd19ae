// Counts row lengths and the padding of slices in one pass over rowPtr. Counting the lengths of a
// window replaces sorting them.
#include "models/profile/lengths.h"

#include "models/base/parallel.h"

#include <algorithm>
#include <mutex>
#include <span>

namespace specmv {

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

} // namespace specmv
