// Finds the working set at which the streaming curve leaves L2.
#include "models/curves.h"

#include <algorithm>
#include <cmath>

namespace specmv {

std::optional<double> effectiveL2Bytes(const Curves &curves) {
  const std::vector<StreamPoint> &points = curves.stream;
  const auto top = std::max_element(
      points.begin(), points.end(),
      [](const StreamPoint &a, const StreamPoint &b) { return a.warmGBs < b.warmGBs; });
  if (top == points.end() || top->warmGBs < 1.2 * points.back().warmGBs)
    return std::nullopt;
  const double half = (top->warmGBs + points.back().warmGBs) / 2;
  const auto below =
      std::find_if(top, points.end(), [&](const StreamPoint &p) { return p.warmGBs < half; });
  const StreamPoint &before = *(below - 1); // the top or a later point
  // Interpolates linearly over the logarithm of the bytes.
  const double share = (before.warmGBs - half) / (before.warmGBs - below->warmGBs);
  return before.bytes * std::pow(below->bytes / before.bytes, share);
}

} // namespace specmv
