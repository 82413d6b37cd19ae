// Ordinary least squares, and the selection of the times on a line.
#include "models/lab/strips/lines.h"

#include <set>

namespace specmv {

LinePoints overEntries(const BenchmarkTimes &of, int64_t i, const Regime &regime) {
  LinePoints out;
  for (const BenchmarkTime &t : of.times)
    if (t.i == i && regime.has(t.entriesOfRow))
      out.emplace_back(t.entriesOfRow, t.us);
  return out;
}

LinePoints overStrips(const BenchmarkTimes &of, int64_t entriesOfRow) {
  LinePoints out;
  for (const BenchmarkTime &t : of.times)
    if (t.entriesOfRow == entriesOfRow)
      out.emplace_back(t.i, t.us);
  return out;
}

size_t countDistinct(const LinePoints &points) {
  std::set<int64_t> distinct;
  for (const auto &[x, us] : points)
    distinct.insert(x);
  return distinct.size();
}

// Deviations n x - sum(x) are whole numbers, and times are relative to the first one, so that a
// line whose numbers are short binary fractions is recovered to the bit.
LineModel leastSquares(const LinePoints &points) {
  const auto n = static_cast<double>(points.size());
  double sumX = 0;
  for (const auto &[x, us] : points)
    sumX += static_cast<double>(x);
  const double first = points.front().second;
  double products = 0, squares = 0, sumY = 0;
  for (const auto &[x, us] : points) {
    const double deviation = n * static_cast<double>(x) - sumX;
    products += deviation * (us - first);
    squares += deviation * deviation;
    sumY += us - first;
  }
  const double slope = n * products / squares;
  return {.slope = slope, .intercept = first + (sumY - slope * sumX) / n};
}

} // namespace specmv
