// Lines through the times of benchmark matrices, shared by the fits and the choice of lines.
#pragma once

#include "models/lab/families/build.h"
#include "models/lab/strips/fit.h"

#include <utility>
#include <vector>

namespace specmv {

using LinePoints = std::vector<std::pair<int64_t, double>>; // x and microseconds

// One regime of P_NZ. A matrix at the end of the first regime belongs to both (strips, figures 3 to
// 6).
struct Regime {
  int64_t least, most;
  bool has(int64_t entriesOfRow) const { return entriesOfRow >= least && entriesOfRow <= most; }
};
constexpr Regime kUpTo1024{1, kRegimeEnd}, kAbove1024{kRegimeEnd, kMaxIndex}, kBoth{1, kMaxIndex};

// The times at I strips by P_NZ, and those at one P_NZ by I.
LinePoints overEntries(const BenchmarkTimes &of, int64_t i, const Regime &regime);
LinePoints overStrips(const BenchmarkTimes &of, int64_t entriesOfRow);

size_t countDistinct(const LinePoints &points); // by x

// Fits a line to points with at least two distinct x.
LineModel leastSquares(const LinePoints &points);

} // namespace specmv
