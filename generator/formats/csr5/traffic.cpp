// Estimates what a product of CSR5 moves and does.
#include "generator/formats/csr5/traffic.h"

#include "generator/shared/gathers.h"
#include "generator/shared/kept.h"
#include "generator/shared/open_rows.h"
#include "generator/shared/padded.h"
#include "generator/shared/walk.h"
#include "models/profile/column_degrees.h"

#include <cmath>

namespace specmv {

// Estimates the number of rows that end in tiles where they are not consecutive. It assumes that
// empty rows are spread at random.
static int64_t gapsOf(const SparsityProfile &p, int64_t tiles) {
  const auto empty = static_cast<double>(csr5EmptyRows(p)), rows = static_cast<double>(p.rows);
  if (empty == 0 || tiles == 0)
    return 0;
  const double consecutive = std::pow(1 - empty / rows, rows / static_cast<double>(tiles));
  return static_cast<int64_t>((rows - empty) * (1 - consecutive));
}

// The average number of times that an entry is read. If more rows end in a tile than fit shared
// memory, the tile is read again (templates/csr5.cuh). The estimate assumes rows in random order:
// in a tile whose longest row has l.length entries, the other rows have the mean length of the
// shorter rows.
static double passesOfTiles(const SparsityProfile &p, const Csr5Shape &shape, const Rates &rates) {
  constexpr double kLogistic = 1.7; // approximates a normal distribution
  const auto tile = static_cast<double>(shape.tileEntries()), nnz = static_cast<double>(p.nnz);
  const auto held = static_cast<double>(shape.stagedRows() * shape.omega);
  if (held >= tile)
    return 1;
  const auto notEmpty = static_cast<double>(p.rows - csr5EmptyRows(p));
  double rows = 0, entries = 0, squares = 0, shareBefore = 0, again = 0;
  for (const LengthCount &l : p.lengths) {
    if (l.length == 0)
      continue;
    const auto length = static_cast<double>(l.length), count = static_cast<double>(l.rows);
    rows += count;
    entries += count * length;
    squares += count * length * length;
    const double mean = entries / rows, ends = 1 + std::max(0.0, tile - length) / mean;
    if (tile / mean < held / 2) // with longer rows even fewer rows end in a tile
      break;
    // The mean number of longer rows in a tile.
    const double longer = ((notEmpty - rows) * tile + nnz - entries) / nnz;
    const double share = std::exp(-longer), variance = std::max(0.0, squares / rows - mean * mean);
    const double deviation = std::sqrt(variance * ends) / mean + 0.25;
    for (double more = held; more < tile; more += held)
      again += (share - shareBefore) / (1 + std::exp(kLogistic * (more + 0.5 - ends) / deviation));
    shareBefore = share;
  }
  return 1 + rates[kCsr5Again] * again;
}

bool asksForHotColumns(const SparsityProfile &p, const Plan &plan) {
  return plan.get(key::kCsr5Hot, 0) < p.cols;
}

// The share of the entries that are in hot columns; 1 if the columns were not counted.
static double shareOfHot(const PlanRequest &in, const Csr5Shape &shape) {
  if (shape.hot == 0)
    return 0;
  if (shape.hot >= in.profile.cols || !in.columns || in.profile.nnz == 0)
    return 1;
  return static_cast<double>(hottestOf(*in.columns, shape.hot).entries) /
         static_cast<double>(in.profile.nnz);
}

// If less than this share of the entries is in hot columns, their x saves hardly any gathers. Of 91
// such cases of the suite and of calibrate, with at most 60 million entries, csr5-hot is faster
// than csr5 and csr-merge in three, all wide bands; of larger ones in a few, by at most 4 percent
// (2026-11-28c-h200-calibrate, -larger and -28d-h200-suites). The plan would mostly win by an error
// of a prediction, so it must be predicted this much faster.
constexpr double kLeastHotShare = 0.1, kCautionIfFewAreHot = 1.25;

// One kernel collects x of the hot columns, and each block copies it to shared memory.
static void addHotX(Traffic &t, const PlanRequest &in, const Csr5Shape &shape) {
  const Rates &rates = in.gpu.rates;
  t.blocks = shape.blocks();
  t.stagedBytes = t.blocks * shape.hot * vectorValueBytes(in.problem);
  t.stagingUs = static_cast<double>(t.stagedBytes) / 1000 / in.gpu.l2GBs * rates[kCsr5HotStaged];
  t.launches = 1 + rates[kCsr5HotLaunches];
}

// The mean length of the row of an entry; 0 without entries.
static double meanRowOfEntry(const PlanRequest &in, int64_t /*number*/) {
  double squares = 0;
  for (const LengthCount &l : in.profile.lengths)
    squares +=
        static_cast<double>(l.rows) * static_cast<double>(l.length) * static_cast<double>(l.length);
  return in.profile.nnz > 0 ? squares / static_cast<double>(in.profile.nnz) : 0;
}

// The lanes of a warp are sigma entries apart: in one row, if rows are long, else in several. With
// hot columns, a warp walks on alone through dozens of tiles, far from the other warps of its SM,
// so only the rows of a warp find in L1 what they share. (An H200's L2 delivered 1.7 times as many
// sectors as for csr5 where neighbouring rows share most columns, as rays through a grid do.)
static Walk csr5WalkOf(const PlanRequest &in, const Csr5Shape &shape) {
  const SparsityProfile &p = in.profile;
  const auto v = static_cast<double>(vectorValueBytes(in.problem));
  const double blocksPerSm = shape.hot > 0 ? 1 : 4;
  const int64_t warps = shape.hot > 0 ? shape.block / 32 : kBlockThreads / 32;
  const auto sigma = static_cast<double>(shape.sigma), nnz = static_cast<double>(p.nnz);
  const double rowOfEntry = kept<meanRowOfEntry>(in);
  const int64_t tilesTogether = shape.hot > 0 ? shape.groupTiles : shape.blockTiles();
  const bool isApart = rowOfEntry > sigma;
  const double held = 32 * static_cast<double>(shape.stagedRows()) * v;
  return {.pace = shape.hot > 0 ? kCsr5HotPace : kCsr5Pace,
          .blockRows = static_cast<double>(tilesTogether * shape.tileEntries()) *
                       static_cast<double>(p.rows) / std::max(1.0, nnz),
          .blocksPerSm = shape.hot > 0 ? static_cast<double>(warps) : blocksPerSm,
          .sharedBytesPerSm = static_cast<double>(shape.hot) * v +
                              blocksPerSm * (static_cast<double>(warps) * held + 1024),
          .rowsAtOnce = isApart ? 32 / std::clamp(rowOfEntry / sigma, 1.0, 32.0) : 32,
          .apart = isApart ? std::min(sigma, rowOfEntry) : 1,
          .shareOfL1 = 1 - shareOfHot(in, shape),
          .scattersY = true,
          .passes = passesOfTiles(p, shape, in.gpu.rates)};
}

Traffic csr5Traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  Csr5Shape shape(plan, p.nnz);
  shape.emptyRows = csr5EmptyRows(p);
  shape.gaps = shape.emptyRows > 0 ? gapsOf(p, shape.tiles) : 0;
  const int64_t passes = paddedPasses(shape.sigma, rates[kPassesPerBatch]) +
                         static_cast<int64_t>(rates[kCsr5TilePasses]);
  Traffic t;
  t.storedBytes = storedBytesOf(allCsr5Fields(plan, in.problem, shape));
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = shape.blocks() * shape.block + shape.emptyRows;
  t.storingThreads = shape.emptyRows;
  t.threadsPerSm = kCsr5BusyThreads;
  t.steps = shape.tiles * shape.omega * passes;
  t.longestChain = std::min(shape.groupTiles, shape.tiles) * passes +
                   static_cast<int64_t>(rates[kCsr5BlockPasses]) +
                   openRowChain(longestRow(p), shape.blockTiles() * shape.tileEntries(), in.gpu);
  t.storedLast = 1.0 / static_cast<double>(std::max<int64_t>(1, shape.groupTiles));
  // The place of a row is read if empty rows are between it and others of its tile.
  t.workUs += static_cast<double>(shape.gaps) * rates[kCsr5GapNs] / 1000;
  if (shape.hot > 0)
    addHotX(t, in, shape);
  addWalk(t, in, csr5WalkOf(in, shape));
  if (shape.hot > 0 && shareOfHot(in, shape) < kLeastHotShare)
    t.caution *= kCautionIfFewAreHot;
  return t;
}

} // namespace specmv
