// Counts subsets, for families that number them.
#pragma once

#include "models/lab/families/build.h"

#include <algorithm>

namespace specmv {

// The number of ways to choose `count` of n; some number above kMaxIndex if there are more than
// that.
inline int64_t binomial(int n, int count) {
  int64_t ways = count <= n ? 1 : 0;
  for (int i = 1; i <= std::min(count, n - count) && ways <= kMaxIndex; ++i)
    ways = ways * (n - i + 1) / i;
  return ways;
}

} // namespace specmv
