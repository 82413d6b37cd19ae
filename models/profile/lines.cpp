// Counts the lines of slices (templates/profile/line_features.cuh) in a sample of windows, with
// rows in their order and sorted by length.
#include "models/profile/samples.h"

#include <numeric>

namespace specmv {

// Adds the lines of the slice that has these rows.
template <class I>
static void addSlice(const CsrPattern<I> &a, const Count *rows, Count count, LineCount &sum) {
  std::array<int, kMostOffsetBytes> upTo{};
  int lines = 0;
  for (; lines < kMostLines; ++lines) {
    Count least = a.cols, most = -1;
    for (Count i = 0; i < count; ++i)
      if (const Count at = a.rowPtr[rows[i]] + lines; at < a.rowPtr[rows[i] + 1]) {
        least = std::min<Count>(least, a.col[at]);
        most = std::max<Count>(most, a.col[at]);
      }
    if (most < 0)
      break;
    for (int bytes = bytesOfOffset(most - least); bytes <= kMostOffsetBytes; ++bytes)
      ++upTo[bytes - 1];
  }
  sum.lines += lines;
  for (int i = 0, before = 0; i < kMostOffsetBytes; ++i) {
    const int fours = foursUpTo(upTo[i], lines);
    sum.fours[i] += fours - before;
    before = fours;
  }
}

template <class I> std::vector<LineCount> countLines(const CsrPattern<I> &a) {
  std::array<LineCount, 2> sum{};
  const Count windows = (a.rows + kLineWindow - 1) / kLineWindow;
  const Count sampled = sampledLineWindows(a.rows, a.cols, a.nnz);
  const auto countWindow = [&](Count k, std::array<LineCount, 2> &part) {
    const Count first = evenlySpread(k, sampled, windows) * kLineWindow;
    std::vector<Count> rows(static_cast<size_t>(std::min<Count>(kLineWindow, a.rows - first)));
    std::iota(rows.begin(), rows.end(), first);
    for (LineCount &count : part) {
      for (size_t place = 0; place < rows.size(); place += kLineRows)
        addSlice(a, rows.data() + place, std::min<Count>(kLineRows, std::ssize(rows) - place),
                 count);
      const auto length = [&](Count row) {
        return lengthForOrder(a.rowPtr[row + 1] - a.rowPtr[row]);
      };
      std::stable_sort(rows.begin(), rows.end(),
                       [&](Count l, Count r) { return length(l) > length(r); });
    }
  };
  addSamples(sum, sampled, [&](Count begin, Count end, std::array<LineCount, 2> &part) {
    for (Count k = begin; k < end; ++k)
      countWindow(k, part);
  });
  sum[0].window = 1;
  sum[1].window = kLineWindow;
  return {sum.begin(), sum.end()};
}

template std::vector<LineCount> countLines(const CsrPattern<int32_t> &);
template std::vector<LineCount> countLines(const CsrPattern<int64_t> &);

} // namespace specmv
