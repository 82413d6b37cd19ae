// Orders rows by length with one counting sort for each window.
#include "generator/shared/rows_by_length.h"

#include "models/base/parallel.h"

#include <algorithm>
#include <numeric>

namespace specmv {

// Rows that a thread sorts at a time, if windows are smaller.
constexpr int64_t kSortRows = 4096;

// Sorts the rows begin .. end - 1 into order[begin] .. order[end - 1]; `places` is working memory.
template <class I>
static void sortWindow(const CsrPattern<I> &a, int64_t begin, int64_t end,
                       std::vector<int64_t> &places, int64_t *order) {
  auto lengthOf = [&](int64_t row) {
    return static_cast<int64_t>(a.rowPtr[row + 1]) - a.rowPtr[row];
  };
  int64_t longest = 0;
  for (int64_t row = begin; row < end; ++row)
    longest = std::max(longest, lengthOf(row));
  // The place of the next row of each length, counted from the longest.
  places.assign(static_cast<size_t>(longest) + 2, 0);
  for (int64_t row = begin; row < end; ++row)
    ++places[static_cast<size_t>(longest - lengthOf(row) + 1)];
  std::partial_sum(places.begin(), places.end(), places.begin());
  for (int64_t row = begin; row < end; ++row)
    order[begin + places[static_cast<size_t>(longest - lengthOf(row))]++] = row;
}

std::vector<int64_t> rowsByLength(const CsrView &a, int64_t window) {
  std::vector<int64_t> order(static_cast<size_t>(a.rows));
  if (window <= 1) {
    std::iota(order.begin(), order.end(), int64_t{0});
    return order;
  }
  visitPattern(a, [&](auto pattern) {
    const int64_t grain = std::max<int64_t>(1, kSortRows / window) * window;
    parallelFor(a.rows, grain, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> places;
      for (int64_t first = begin; first < end; first += window)
        sortWindow(pattern, first, std::min(first + window, end), places, order.data());
    });
  });
  return order;
}

} // namespace specmv
