// Estimates, from a profile's samples, how many sectors of x L2 must deliver.
#include "generator/shared/gathers.h"

#include "generator/shared/kept.h"
#include "generator/shared/rates.h"
#include "generator/shared/reuse.h"
#include "generator/shared/working_sets.h"

#include <cmath>
#include <utility>

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
  double sectors = 0, perEntry = 0;
  int64_t rowsBefore = 0; // many lengths have the same number of rows
  for (const LengthCount &l : p.lengths) {
    if (l.length == 0)
      continue;
    const int64_t rows =
        isKept ? kMostRows : std::clamp<int64_t>(entriesInL1 / l.length, 1, kMostRows);
    if (rows != std::exchange(rowsBefore, rows))
      perEntry = sectorsPerEntry(p, type, rows);
    sectors +=
        static_cast<double>(l.rows) * std::min(static_cast<double>(l.length) * perEntry, ofX);
  }
  return static_cast<int64_t>(32 * sectors);
}

int64_t gatherBytes(const PlanRequest &in) { return kept<countGatherBytes>(in); }

// The probability that two rows are equally long.
static double shareOfEqualRows(const SparsityProfile &p) {
  const double rows = std::max(1.0, static_cast<double>(p.rows));
  double alike = 0;
  for (const LengthCount &l : p.lengths)
    alike += static_cast<double>(l.rows) / rows * (static_cast<double>(l.rows) / rows);
  return alike;
}

// The slots that slices of 8 rows pad, divided by those that they would pad if lengths came in no
// order: 0 where the rows of each slice are equally long, about 1 where neighbours have nothing in
// common.
static double disorderOf(const SparsityProfile &p) {
  constexpr Count kSlice = 8;
  const auto rows = static_cast<double>(p.rows), nnz = static_cast<double>(p.nnz);
  Count padded = -1;
  for (const SliceCount &s : p.slices)
    if (s.slice == kSlice && s.window == 1)
      padded = s.padded;
  double upTo = 0, below = 0, longest = 0; // the mean length of the longest of so many rows
  for (const LengthCount &l : p.lengths) {
    upTo += static_cast<double>(l.rows) / rows;
    const double two = std::min(1.0, upTo * upTo), four = two * two, all = four * four;
    longest += static_cast<double>(l.length) * (all - below);
    below = all;
  }
  constexpr double kLeastPadding = 1e-3;
  const double inNoOrder = longest * rows - nnz;
  if (padded < 0 || inNoOrder <= kLeastPadding * nnz)
    return 1;
  return std::clamp((static_cast<double>(padded) - nnz) / inNoOrder, 0.0, 1.0);
}

static OrderOfLengths countOrder(const PlanRequest &in, int64_t /*number*/) {
  return {disorderOf(in.profile), 1 / std::max(1e-6, shareOfEqualRows(in.profile))};
}

const OrderOfLengths &orderOfLengths(const PlanRequest &in) { return kept<countOrder>(in); }

} // namespace specmv
