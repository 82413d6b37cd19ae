// Finds the hottest columns on the host.
#include "generator/shared/hot_columns.h"

#include "templates/pack/hot_sizes.cuh"

#include <algorithm>

namespace specmv {

static std::vector<int32_t> degreesOf(const CsrView &a) {
  std::vector<int32_t> degrees(static_cast<size_t>(a.cols));
  visitPattern(a, [&](auto p) {
    for (int64_t e = 0; e < p.nnz; ++e)
      degrees[p.col[e]] = std::min(degrees[p.col[e]] + 1, kHotDegrees - 1);
  });
  return degrees;
}

std::vector<int64_t> hottestColumns(const CsrView &a, int64_t most) {
  const std::vector<int32_t> degrees = degreesOf(a);
  std::vector<int64_t> columns(kHotDegrees); // with that many entries
  for (const int32_t degree : degrees)
    ++columns[degree];
  int32_t least = kHotDegrees - 1;
  for (int64_t sum = columns[least]; least > 1 && sum + columns[least - 1] <= most; --least)
    sum += columns[least - 1];
  std::vector<int64_t> out;
  for (size_t c = 0; c < degrees.size() && static_cast<int64_t>(out.size()) < most; ++c)
    if (degrees[c] >= least)
      out.push_back(static_cast<int64_t>(c));
  return out;
}

} // namespace specmv
