// The traffic of a product by the paper's layout of QCSR, from the profile's counts of tiles.
#include "generator/formats/qcsr/tiles_traffic.h"

#include "generator/formats/qcsr/rates.h"
#include "generator/shared/gathers.h"
#include "generator/shared/lengths.h"
#include "generator/shared/walk.h"
#include "models/base/numbers.h"

#include <algorithm>
#include <cmath>

namespace specmv {

namespace {
// The share of all entries that are in Full leaves, and the slots of Full leaves.
struct FullLeaves {
  double share = 0, slots = 0;
};
} // namespace

// The profile counts the densities of tiles in bins, so all tiles of a bin count as Full if their
// mean density is above the fill-in ratio.
static FullLeaves fullLeaves(const SparsityProfile &p, const Plan &plan, const QcsrTiles &tiles) {
  FullLeaves full;
  for (int bin = 0; plan.get(key::kQcsrFull) && bin < kDensityBins; ++bin) {
    const double density = qcsrDensityOf(p, tiles.d, bin).mean;
    const double share = static_cast<double>(tiles.density.bins[static_cast<size_t>(bin)]) /
                         static_cast<double>(std::max<Count>(1, tiles.density.sampledEntries));
    if (density > plan.get(key::kQcsrFill))
      full = {full.share + share, full.slots + share * static_cast<double>(p.nnz) / density};
  }
  return full;
}

// Slots of Sparse leaves, interpolated between no padding (align 1) and padding to 16.
static int64_t slotsOf(const SparsityProfile &p, const Plan &plan, const QcsrTiles &tiles) {
  return p.nnz + (tiles.padded16 - p.nnz) * (plan.get(key::kQcsrAlign) - 1) / 15;
}

QcsrTileCounts qcsrTileCounts(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles) {
  const SparsityProfile &p = in.profile;
  const int64_t rows = plan.get(key::kQcsrRows);
  const FullLeaves full = fullLeaves(p, plan, tiles);
  return {.rows = p.rows,
          .chunks = ceilDiv(p.rows, rows),
          .tiles = qcsrInteger(qcsrChunkTiles(in, tiles, rows)),
          .segments = tiles.segments,
          .slots = qcsrInteger((1 - full.share) * static_cast<double>(slotsOf(p, plan, tiles))),
          .fullSlots = qcsrInteger(full.slots)};
}

// Passes of the groups of a block, which wait for the one with the longest segment after each tile.
// Segments are taken to be as uneven as the rows that they are parts of.
static double passesOfChunk(const SparsityProfile &p, const Plan &plan, const QcsrTiles &tiles,
                            double tilesPerChunk, double segmentsOfGroup) {
  const auto segments = static_cast<double>(std::max<int64_t>(1, tiles.segments));
  const double length = static_cast<double>(slotsOf(p, plan, tiles)) / segments /
                        static_cast<double>(plan.get(key::kQcsrRowLanes));
  const double mean =
      static_cast<double>(p.nnz) / static_cast<double>(std::max<int64_t>(1, p.rows));
  const double longer =
      mean > 0 ? std::max(1.0, longestOfRows(p, plan.get(key::kQcsrRows)) / mean) : 1;
  return std::max(0.0, segmentsOfGroup - tilesPerChunk) * std::ceil(length) +
         tilesPerChunk * std::ceil(length * longer);
}

// Passes of a block for its chunk.
static double chainOf(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  const int64_t rows = plan.get(key::kQcsrRows),
                groups = plan.get(key::kBlock) / plan.get(key::kQcsrRowLanes),
                chunks = std::max<int64_t>(1, ceilDiv(p.rows, rows));
  // Tiles that a chunk works on, one after another, and segments of a group of lanes in all of
  // them.
  const auto chunkTiles = static_cast<double>(qcsrInteger(qcsrChunkTiles(in, tiles, rows)));
  const double tilesPerChunk = std::max(1.0, chunkTiles / static_cast<double>(chunks));
  const auto segmentsOfGroup = static_cast<double>(ceilDiv(tiles.segments, chunks * groups));
  const double stage = qcsrStages(plan) ? rates[kQcsrStagePasses] : 0;
  return rates[kQcsrTilePasses] * std::max(tilesPerChunk, segmentsOfGroup) + stage * tilesPerChunk +
         rates[kQcsrLoopPasses] * passesOfChunk(p, plan, tiles, tilesPerChunk, segmentsOfGroup);
}

static void setPasses(Traffic &t, const Plan &plan, int64_t chunks, double chain) {
  t.threads = chunks * plan.get(key::kBlock);
  t.steps = qcsrInteger(static_cast<double>(t.threads) * chain);
  t.longestChain = qcsrInteger(chain);
}

// The passes alone, as if nothing were moved and no row were longer than the mean. Passes that read
// L2 must not take longer than those that read memory.
std::optional<Traffic> qcsrLeastTraffic(const PlanRequest &in, const Plan &plan) {
  if (qcsrHasSlices(plan) || in.gpu.dramDelay < 1)
    return std::nullopt;
  Traffic t;
  setPasses(t, plan, ceilDiv(in.profile.rows, plan.get(key::kQcsrRows)),
            chainOf(in, plan, qcsrTilesOf(in, plan.get(key::kQcsrD))));
  setPace(t, in, kQcsrTilesPace);
  return t;
}

Traffic qcsrTilesTraffic(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles) {
  const SparsityProfile &p = in.profile;
  const int64_t lanes = plan.get(key::kQcsrRowLanes);
  const QcsrTileCounts n = qcsrTileCounts(in, plan, tiles);
  Traffic t;
  t.storedBytes = storedBytesOf(qcsrTileFields(plan, in.problem, n));
  t.slots = n.slots + n.fullSlots;
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  setQcsrBytesOfX(in, plan, tiles, qcsrChunkTiles(in, tiles, plan.get(key::kQcsrRows)), t);
  const double chain = chainOf(in, plan, tiles);
  setPasses(t, plan, n.chunks, chain);
  t.longestChain = qcsrInteger(chain + in.gpu.rates[kQcsrLoopPasses] *
                                           static_cast<double>(ceilDiv(longestRow(p), lanes)));
  t.stagingUs = qcsrStagedUs(t, in, kQcsrStaged[0]);
  addWalk(t, in,
          {.pace = kQcsrTilesPace,
           .blockRows = static_cast<double>(plan.get(key::kQcsrRows)),
           .rowsAtOnce = 32.0 / static_cast<double>(lanes)});
  return t;
}

} // namespace specmv
