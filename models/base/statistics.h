// Means and percentiles of measurements.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace specmv {

// Returns the least number that at least `share` of all numbers do not exceed; they must be sorted,
// and there must be one.
inline double percentile(const std::vector<double> &sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

// Returns the geometric mean of positive numbers; 0 if there is none.
inline double geometricMean(const std::vector<double> &numbers) {
  double logarithms = 0;
  for (const double number : numbers)
    logarithms += std::log(number);
  return numbers.empty() ? 0 : std::exp(logarithms / static_cast<double>(numbers.size()));
}

} // namespace specmv
