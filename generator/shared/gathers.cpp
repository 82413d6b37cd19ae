// Estimates, from a profile's samples, how many sectors of x L2 must deliver.
#include "generator/shared/gathers.h"

#include "generator/shared/rates.h"

#include <cmath>

namespace specmv {

// L1 is taken to keep the sectors of at most so many rows: the largest group that profiles sample.
constexpr int64_t kMostRows = 256;

namespace {
// Sectors for each entry if L1 keeps what `rows` consecutive rows read.
struct Sectors {
  double rows, perEntry;
};
} // namespace

// The profile's samples: of single rows (blocks as long as a sector), of 32 and of 256 rows.
static std::vector<Sectors> sampledSectors(const SparsityProfile &p, ValueType type) {
  std::vector<Sectors> out = {{1, 1}};
  if (const Count sampled = p.blockFill.sampledEntries)
    out[0].perEntry = static_cast<double>(p.blockFill.blocks[0][32 / sizeOf(type) - 1]) /
                      static_cast<double>(sampled);
  for (const SectorCount &s : p.sectors)
    if (s.sampledEntries > 0)
      out.push_back({static_cast<double>(s.groupRows),
                     static_cast<double>(type == ValueType::f32 ? s.sectorsF32 : s.sectorsF64) /
                         static_cast<double>(s.sampledEntries)});
  return out;
}

// Interpolates between the samples, linearly in the logarithm of the number of rows.
static double perEntryOf(const std::vector<Sectors> &sampled, int64_t rows) {
  Sectors below = sampled.front();
  for (const Sectors &above : sampled) {
    if (static_cast<double>(rows) <= above.rows) {
      const double range = std::log(above.rows / below.rows);
      const double share = range > 0 ? std::log(static_cast<double>(rows) / below.rows) / range : 1;
      return below.perEntry + share * (above.perEntry - below.perEntry);
    }
    below = above;
  }
  return below.perEntry;
}

static int64_t countGatherBytes(const PlanRequest &in) {
  const SparsityProfile &p = in.profile;
  const ValueType type = in.problem.type;
  const std::vector<Sectors> sampled = sampledSectors(p, type);
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
               std::min(static_cast<double>(l.length) * perEntryOf(sampled, rows), ofX);
  }
  return static_cast<int64_t>(32 * sectors);
}

int64_t gatherBytes(const PlanRequest &in) {
  if (!in.gathered)
    in.gathered = countGatherBytes(in);
  return *in.gathered;
}

} // namespace specmv
