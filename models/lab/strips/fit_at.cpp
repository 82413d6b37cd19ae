// Chooses the lines to fit among the measured benchmark matrices.
#include "models/lab/strips/lines.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

namespace specmv {

static bool crossesLines(const BenchmarkTimes &of, const Crossing &at, const Regime &regime) {
  return overEntries(of, at.i, regime).size() >= 2 && overStrips(of, at.z).size() >= 2;
}

// The benchmark matrix at which the longest two lines cross; of equally long ones, the largest.
static Crossing crossingOf(const BenchmarkTimes &of, const Crossing &preferred,
                           const Regime &regime) {
  const auto isMeasured = [&](const BenchmarkTime &t) {
    return t.i == preferred.i && t.entriesOfRow == preferred.z;
  };
  if (llvm::any_of(of.times, isMeasured) && crossesLines(of, preferred, regime))
    return preferred;
  Crossing best = preferred;
  std::tuple<size_t, int64_t, int64_t> longest;
  for (const BenchmarkTime &t : of.times) {
    const Crossing at{t.i, t.entriesOfRow};
    if (!regime.has(at.z) || !crossesLines(of, at, regime))
      continue;
    const std::tuple length(overEntries(of, at.i, regime).size() + overStrips(of, at.z).size(),
                            at.i, at.z);
    if (length > longest)
      longest = length, best = at;
  }
  return best;
}

// The P_NZ with the longest line over I; of equally long ones, the largest.
static int64_t x1Of(const BenchmarkTimes &of, int64_t preferred) {
  if (overStrips(of, preferred).size() >= 2)
    return preferred;
  std::pair<size_t, int64_t> best(1, preferred);
  for (const BenchmarkTime &t : of.times)
    best = std::max(best, {overStrips(of, t.entriesOfRow).size(), t.entriesOfRow});
  return best.first >= 2 ? best.second : preferred;
}

FitAt fitAtOf(const BenchmarkTimes &of) {
  const FitAt &preferred = factsOf(of.kernel).at;
  return {.upTo1024 = crossingOf(of, preferred.upTo1024, kUpTo1024),
          .above1024 = crossingOf(of, preferred.above1024, kAbove1024),
          .x1 = x1Of(of, preferred.x1)};
}

} // namespace specmv
