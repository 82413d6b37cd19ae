// Estimates how many sectors of x L2 must deliver, and how many miss the caches.
#include "generator/shared/gathers.h"

#include "generator/shared/kept.h"
#include "generator/shared/walk.h"

#include <cmath>
#include <utility>

namespace specmv {

// --- Reuse ---------------------------------------------------------------------------------------

// Finds the two samples of a profile between which groups of another size are interpolated.

ReuseAround reuseAround(const SparsityProfile &p, int level, int64_t rows) {
  GroupReuse below{1, 1, 1}, above = below;
  bool isFirst = true;
  for (const ReuseCount &count : p.reuse) {
    // The sampled groups of rows may all be empty.
    if (count.sampledEntries == 0)
      continue;
    below = above;
    above = {count.groupRows, count.first[static_cast<size_t>(level)], count.sampledEntries};
    if (std::exchange(isFirst, false))
      below = above;
    if (rows <= above.rows)
      break;
  }
  if (rows >= above.rows || rows <= below.rows)
    return rows >= above.rows ? ReuseAround{above, above, 1} : ReuseAround{below, below, 0};
  const auto first = static_cast<double>(below.rows);
  return {below, above,
          std::log(static_cast<double>(rows) / first) /
              std::log(static_cast<double>(above.rows) / first)};
}

// --- Working sets --------------------------------------------------------------------------------

// Working sets of x. Between the profile's samples, they grow as powers of the number of rows.

XOfRows xOfRows(const SparsityProfile &p, ValueType type) {
  const Count empty =
      p.lengths.empty() || p.lengths.front().length > 0 ? 0 : p.lengths.front().rows;
  const auto rows = static_cast<double>(std::max<Count>(1, p.rows - empty));
  const auto entries = static_cast<double>(std::max<Count>(1, p.nnz));
  return {rows, entries / rows,
          static_cast<double>(p.cols) * static_cast<double>(sizeOf(type)) / 32, entries};
}

namespace {
// The samples by ascending rows, and the whole matrix.
struct Samples {
  static constexpr size_t kMost = 4;
  std::array<double, kMost> rows{}, share{}, slope{};
  size_t count = 0;

  void add(double r, double s) {
    rows[count] = r;
    share[count++] = std::max(s, 1e-9);
  }
  Samples(const SparsityProfile &p, ValueType type, int level) {
    const XOfRows x = xOfRows(p, type);
    const double tiles = x.sectors / std::exp2(level - sectorLevel(type));
    for (const ReuseCount &each : p.reuse)
      if (each.groupRows == 1 || static_cast<double>(each.groupRows) <= x.rows)
        add(static_cast<double>(each.groupRows),
            static_cast<double>(each.first[static_cast<size_t>(level)]) /
                static_cast<double>(std::max<Count>(1, each.sampledEntries)));
    if (count == 0)
      add(1, 1);
    // At most all tiles of x are read.
    if (x.rows > 1.5 * rows[count - 1])
      add(x.rows, std::min(tiles / x.entries, share[count - 1]));
    for (size_t i = 0; i + 1 < count; ++i)
      slope[i] = std::log(share[i + 1] / share[i]) / std::log(rows[i + 1] / rows[i]);
  }
  size_t at(double r) const { // the last sample that is not above r, or the first
    size_t i = 0;
    while (i + 1 < count && r > rows[i + 1])
      ++i;
    return i;
  }
  double of(double r) const {
    if (r <= rows[0])
      return share[0];
    const size_t i = at(r);
    return r >= rows[count - 1] ? share[count - 1] : share[i] * std::pow(r / rows[i], slope[i]);
  }
};
} // namespace

static Samples samplesOfLevel(const PlanRequest &in, int64_t level) {
  return {in.profile, vectorTypeOf(in.problem), static_cast<int>(level)};
}

double firstOfTile(const PlanRequest &in, int level, double rows) {
  return kept<samplesOfLevel>(in, level).of(rows);
}

// The largest number of rows, between 1 and `most`, that have at most `sectors` distinct sectors.
// Between two samples, these are entriesOfRow x share x rows^(1 + slope).
static double rowsThatFit(const Samples &s, double entriesOfRow, double sectors, double most) {
  const auto distinct = [&](double rows) { return s.of(rows) * entriesOfRow * rows; };
  if (distinct(most) <= sectors)
    return most;
  if (distinct(1) >= sectors)
    return 1;
  double rows = 1;
  for (size_t i = 0; i < s.count; ++i) {
    const double end = i + 1 < s.count ? std::min(most, s.rows[i + 1]) : most;
    if (end <= s.rows[i] || distinct(end) <= sectors) {
      rows = std::max(rows, std::min(end, most));
      continue;
    }
    const double power = 1 + s.slope[i], first = s.share[i] * entriesOfRow * s.rows[i];
    return power <= 0 ? end
                      : std::clamp(s.rows[i] * std::pow(sectors / first, 1 / power), rows, end);
  }
  return rows;
}

double firstOfTileOfSome(const PlanRequest &in, int level, double rows, double every) {
  const Samples &s = kept<samplesOfLevel>(in, level);
  if (every <= 1)
    return s.of(rows);
  const double ofAll = s.of(rows * every), readers = s.of(1) / ofAll;
  return ofAll * every * (1 - std::pow(1 - 1 / every, readers));
}

double missesOfGroups(const PlanRequest &in, double sectors, double rows, double every) {
  const int level = sectorLevel(vectorTypeOf(in.problem));
  const Samples &s = kept<samplesOfLevel>(in, level);
  const XOfRows x = xOfRows(in.profile, vectorTypeOf(in.problem));
  return firstOfTileOfSome(in, level, rowsThatFit(s, x.entriesOfRow, sectors, rows), every);
}

static FromMemory countFromMemory(const PlanRequest &in, int64_t /*number*/) {
  // Only half of L2 counts, since the matrix passes through L2 too.
  const double held = static_cast<double>(in.gpu.l2Bytes) / 2 / 32;
  const Samples &s = kept<samplesOfLevel>(in, sectorLevel(vectorTypeOf(in.problem)));
  const XOfRows x = xOfRows(in.profile, vectorTypeOf(in.problem));
  FromMemory out;
  out.distinct = std::min(32 * x.sectors, 32 * s.of(x.rows) * x.entries);
  const double fit = rowsThatFit(s, x.entriesOfRow, held, x.rows);
  if (fit >= x.rows || fit <= 1) {
    out.sectors = s.of(fit) * x.entries;
    return out;
  }
  constexpr double kLeastSlope = 0.02;
  const double filling = fit / x.rows,
               slope = std::max(kLeastSlope, 1 + s.slope[std::min(s.at(fit), s.count - 1)]);
  out.sectors = s.of(fit) * x.entries * (filling + (1 - filling) * slope);
  return out;
}

const FromMemory &xFromMemory(const PlanRequest &in) { return kept<countFromMemory>(in); }

// --- Gathers -------------------------------------------------------------------------------------

// Estimates, from a profile's samples, how many sectors of x L2 must deliver.

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
