// Lines through the times of benchmark matrices, which the fits and the choice of lines share.
#pragma once

#include "models/lab/families/build.h"
#include "models/lab/strips/fit.h"

#include <utility>
#include <vector>

namespace specmv {

using LinePoints = std::vector<std::pair<int64_t, double>>; // x and microseconds

// One regime of P_NZ. A matrix at the end of the first one is in both (strips, figures 3 to 6).
struct Regime {
  int64_t least, most;
  bool has(int64_t entriesOfRow) const { return entriesOfRow >= least && entriesOfRow <= most; }
};
constexpr Regime kUpTo1024{1, kRegimeEnd}, kAbove1024{kRegimeEnd, kMaxIndex}, kBoth{1, kMaxIndex};

// The times at I strips by P_NZ, and those at one P_NZ by I.
LinePoints overEntries(const BenchmarkTimes &of, int64_t i, const Regime &regime);
LinePoints overStrips(const BenchmarkTimes &of, int64_t entriesOfRow);

size_t countDistinct(const LinePoints &points); // x

// Of points with two distinct x at least.
LineModel leastSquares(const LinePoints &points);

} // namespace specmv
