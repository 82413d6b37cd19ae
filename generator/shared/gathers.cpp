// Estimates, from a profile's samples, how many sectors of x L2 must deliver.
#include "generator/shared/gathers.h"

#include "generator/shared/kept.h"
#include "generator/shared/rates.h"
#include "generator/shared/reuse.h"
#include "generator/shared/working_sets.h"

#include <cmath>

namespace specmv {

// L1 is assumed to keep the sectors of at most this many rows, the largest group that profiles
// sample.
constexpr int64_t kMostRows = 256;

// Sectors for each entry if L1 keeps the sectors that `rows` consecutive rows read. They are
// interpolated between the samples, linearly in the logarithm of the number of rows.
static double sectorsPerEntry(const SparsityProfile &p, ValueType type, int64_t rows) {
  const ReuseAround r = reuseAround(p, sectorLevel(type), rows);
  return r.below.share() + r.place * (r.above.share() - r.below.share());
}

static int64_t countGatherBytes(const PlanRequest &in, int64_t /*number*/) {
  const SparsityProfile &p = in.profile;
  const ValueType type = vectorTypeOf(in.problem);
  const auto v = static_cast<double>(sizeOf(type));
  const double ofX = static_cast<double>(p.cols) * v / 32 + 1;
  const bool isKept = static_cast<double>(p.cols) <= std::floor(in.gpu.rates[kBytesInL1] / v);
  const auto entriesInL1 = static_cast<int64_t>(in.gpu.rates[kEntriesInL1]);
  double sectors = 0;
  for (const LengthCount &l : p.lengths) {
    if (l.length == 0)
      continue;
    const int64_t rows =
        isKept ? kMostRows : std::clamp<int64_t>(entriesInL1 / l.length, 1, kMostRows);
    sectors += static_cast<double>(l.rows) *
               std::min(static_cast<double>(l.length) * sectorsPerEntry(p, type, rows), ofX);
  }
  return static_cast<int64_t>(32 * sectors);
}

int64_t gatherBytes(const PlanRequest &in) { return kept<countGatherBytes>(in); }

static double countEqualRows(const PlanRequest &in, int64_t /*number*/) {
  const double rows = std::max(1.0, static_cast<double>(in.profile.rows));
  double alike = 0;
  for (const LengthCount &l : in.profile.lengths)
    alike += static_cast<double>(l.rows) / rows * (static_cast<double>(l.rows) / rows);
  return alike;
}

double shareOfEqualRows(const PlanRequest &in) { return kept<countEqualRows>(in); }

} // namespace specmv
