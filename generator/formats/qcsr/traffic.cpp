// The traffic of a product by QCSR, from the profile's counts of spans and slices; that of the
// paper's layout is in tiles_traffic.cpp.
#include "generator/formats/qcsr/qcsr.h"

#include "generator/emit.h"
#include "generator/formats/qcsr/rates.h"
#include "generator/formats/qcsr/slices/slices.h"
#include "generator/formats/qcsr/tiles_traffic.h"
#include "generator/shared/gathers.h"
#include "generator/shared/lengths.h"
#include "generator/shared/walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace specmv {

namespace {
// Pairs (chunk, tile) that have an entry, and segments of all rows; both are at least one.
struct Cuts {
  double pairs, segments;
};
} // namespace

// The cuts of slices. Tiles begin at column 0 of the matrix or, if x is staged, at the first column
// of each chunk.
static Cuts cutsOf(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows, bool stage) {
  const auto segments = static_cast<double>(std::max<int64_t>(1, tiles.segments));
  const SpanCount *spans = qcsrSpans(p, rows);
  if (!stage || !spans || spans->longest > tiles.d)
    return {std::max(1.0, qcsrChunkTiles(p, tiles, rows)), segments};
  const auto chunks = static_cast<double>(std::max<int64_t>(1, ceilDiv(p.rows, rows)));
  const auto rowsAtLeast1 = static_cast<double>(std::max<int64_t>(1, p.rows));
  return {std::min(chunks, segments), std::min(rowsAtLeast1, segments)};
}

// The bytes of x that blocks copy to shared memory.
static double stagedBytes(const PlanRequest &in, const QcsrTiles &tiles, int64_t rows,
                          double pairs) {
  const double columns =
      std::min(pairs * static_cast<double>(tiles.d), qcsrSpanTotal(in.profile, rows) + pairs);
  return columns * static_cast<double>(sizeOf(vectorTypeOf(in.problem)));
}

void setQcsrBytesOfX(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles, double pairs,
                     Traffic &t) {
  if (qcsrStages(plan))
    t.stagedBytes = qcsrInteger(stagedBytes(in, tiles, plan.get(key::kQcsrRows), pairs));
  else
    t.gatherBytes = gatherBytes(in);
}

double qcsrStagedUs(const Traffic &t, const PlanRequest &in, const Rate &rate) {
  return static_cast<double>(t.stagedBytes) / 1000 / in.gpu.l2GBs * in.gpu.rates[rate];
}

// Slots of all rows in slices of 32, sorted by length inside windows of `rows`. They are
// interpolated, linearly in 1 / (slices of a window), between windows of 32, in which sorting gains
// nothing, and of 1,024.
static double paddedRows(const SparsityProfile &p, int64_t rows) {
  double unsorted = 0, sorted = 0;
  for (const SliceCount &s : p.slices)
    if (s.slice == kQcsrLanes && s.window <= 1024)
      (s.window == 1 ? unsorted : sorted) = static_cast<double>(s.padded);
  const double share = (32.0 / static_cast<double>(rows) - 1.0 / 32) / (1 - 1.0 / 32);
  return sorted + (unsorted - sorted) * std::clamp(share, 0.0, 1.0);
}

namespace {
struct SlicesCount {
  double pairs, slots, slices, batches;
};
} // namespace

// The padding of slices that cuts at the borders of tiles cause, as a share of the entries. It
// assumes that lengths of cut segments vary within two standard deviations, the square root of the
// mean; a slice pads half of its part of that range. A matrix of few diagonals has no such padding,
// since all its rows are cut at the same places.
static double spreadOf(const SparsityProfile &p, double segments, double slicesPerPair) {
  if (p.occupiedDiagonals <= kMaxListedDiagonals)
    return 0;
  const double cut = std::max(0.0, 1 - static_cast<double>(p.rows) / segments);
  const double length = static_cast<double>(p.nnz) / segments;
  return cut * 2 / std::sqrt(length) / slicesPerPair;
}

// Counts the slices. If chunks touch several tiles, the last slice of each tile is not full. Where
// x is not staged, half of the padding counts that is estimated for full slices: many matrices have
// tiles that all rows of a chunk cut alike, and pad nothing there. (With a half, the bytes of 69
// matrices are right in the mean, and those of matrices with such tiles are at most 1.3 times too
// many instead of 1.5.)
constexpr double kPaddingOfCuts = 0.5;

static SlicesCount countSlices(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows,
                               bool stage, int64_t streamsPerTile) {
  const double chunks = std::max(1.0, static_cast<double>(ceilDiv(p.rows, rows)));
  const auto [pairs, segments] = cutsOf(p, tiles, rows, stage);
  const double perPair = segments / pairs, length = static_cast<double>(p.nnz) / segments;
  const double ofLast = pairs <= chunks ? 0
                        : perPair < kQcsrLanes
                            ? kQcsrLanes - perPair
                            : std::min(kQcsrLanes / 2.0, static_cast<double>(rows) - perPair);
  const double lacking = std::max(0.0, ofLast);
  SlicesCount count{pairs, 0, 0, 0};
  count.slices = std::max(pairs, (segments + lacking * pairs) / kQcsrLanes);
  const double spread = spreadOf(p, segments, count.slices / pairs);
  const double half = stage ? 1 : kPaddingOfCuts, halfOfLast = perPair < kQcsrLanes ? 1 : half;
  count.slots = paddedRows(p, rows) * (1 + half * spread) +
                halfOfLast * lacking * pairs * std::max(1.0, length / 2);
  const double streams = std::min(count.slices, pairs * static_cast<double>(streamsPerTile));
  count.batches = count.slots / kQcsrLanes / int{kQcsrBatch} + streams / 2;
  return count;
}

int64_t qcsrSliceSlots(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows) {
  return qcsrInteger(countSlices(p, tiles, rows, false, 1).slots);
}

namespace {
// The slices of a plan, counted from the profile.
struct Counted {
  SlicesCount slices;
  int64_t chunks, blocks, warps;
  double streams;

  Counted(const SparsityProfile &p, const Plan &plan, const QcsrTiles &tiles)
      : chunks(ceilDiv(p.rows, plan.get(key::kQcsrRows))),
        blocks(ceilDiv(chunks, qcsrChunksPerBlock(plan))),
        warps(plan.get(key::kBlock) / kQcsrLanes) {
    const bool stage = qcsrStages(plan);
    slices = countSlices(p, tiles, plan.get(key::kQcsrRows), stage, stage ? warps : 1);
    streams = std::max(1.0, static_cast<double>(warps) *
                                (stage ? slices.pairs : static_cast<double>(blocks)));
  }
};
} // namespace

static QcsrSliceCounts sliceCounts(const SparsityProfile &p, const Plan &plan,
                                   const Counted &counted) {
  const int64_t rows = plan.get(key::kQcsrRows);
  const size_t perWord = sizeOf(qcsrRowWordType(rows)) / sizeOf(qcsrRowType(rows));
  const auto rowsPerWord = static_cast<double>(perWord);
  return {.rows = p.rows,
          .chunks = counted.chunks,
          .tiles = qcsrInteger(counted.slices.pairs),
          .streams = qcsrInteger(counted.streams),
          .batches = qcsrInteger(counted.slices.batches),
          .rowWords = qcsrInteger(counted.slices.slices / rowsPerWord),
          .lines = qcsrInteger(counted.slices.slots / kQcsrLanes)};
}

// Chunks with more tiles than this have several.
constexpr double kOneTile = 1.05;

// The cost of staging x. Shared memory limits the blocks that run on an SM. Each of them waits for
// one tile after another.
static void addStaging(Traffic &t, const PlanRequest &in, const Plan &plan, int64_t chunks) {
  const auto v = static_cast<double>(sizeOf(vectorTypeOf(in.problem)));
  const auto window = static_cast<double>(plan.get(key::kQcsrWindow));
  const double block = (window + static_cast<double>(plan.get(key::kQcsrRows))) * v + 1024;
  const auto room = static_cast<double>(in.gpu.sharedBytesPerBlock + 1024);
  const int64_t perSm = room >= 4 * block ? 4 : room >= 2 * block ? 2 : 1;
  const double tiles = static_cast<double>(t.stagedBytes) /
                       static_cast<double>(std::max<int64_t>(1, chunks)) /
                       std::max(1.0, window * v);
  const double steps = static_cast<double>(ceilDiv(chunks, in.gpu.sms * perSm)) *
                       std::ceil(std::max(1.0, tiles) - 1e-6) /
                       std::sqrt(static_cast<double>(perSm));
  t.stagingUs = qcsrStagedUs(t, in, kQcsrStaged[1]) + steps * in.gpu.rates[kQcsrStepUs];
  t.blocks = ceilDiv(chunks, perSm);
  t.threadsPerSm = static_cast<int32_t>(perSm * plan.get(key::kBlock));
  if (tiles > kOneTile)
    t.caution = in.gpu.rates[kQcsrCautionSeveral];
}

static Walk qcsrWalkOf(const PlanRequest &in, const Plan &plan, bool stage) {
  constexpr int64_t kBlocksPerSm = 4, kWarps = kBlockThreads / 32;
  const int64_t rows = kWarps * plan.get(key::kQcsrRows); // rows whose sums are in shared memory
  const int64_t v = vectorValueBytes(in.problem);
  return {.pace = stage ? kQcsrStagedPace : kQcsrSlicesPace,
          .blockRows = static_cast<double>(rows),
          .blocksPerSm = kBlocksPerSm,
          .sharedBytesPerSm = stage ? 0 : static_cast<double>(kBlocksPerSm * rows * v),
          .sortedRows = static_cast<double>(plan.get(key::kQcsrRows))};
}

// Lines that a warp adds, or waits for. A block that stages x gives each of its warps some slices
// of a tile, and all wait for the warp that has the longest ones. The longest row of a chunk is cut
// by its tiles, so the block waits for all of it in the end.
static double linesOfWarp(const SparsityProfile &p, const Plan &plan, const Counted &counted) {
  const SlicesCount &count = counted.slices;
  const auto warps = static_cast<double>(counted.warps),
             blocks = static_cast<double>(std::max<int64_t>(1, counted.blocks));
  const double ofBlock = count.slots / kQcsrLanes / blocks;
  if (!qcsrStages(plan))
    return ofBlock / warps;
  const double busy = std::clamp(count.slices / count.pairs, 1.0, warps);
  return std::max(ofBlock / busy, longestOfRows(p, plan.get(key::kQcsrRows)));
}

// The time of the SM with the most entries, in multiples of the mean. Chunks that blocks stage x
// for are few, so where rows of about one length lie together, some chunks have the longest ones.
static double unevenness(const PlanRequest &in) {
  constexpr double kLongest = 1.0 / 16, kOfDifference = 0.35;
  const SparsityProfile &p = in.profile;
  const double rows = kLongest * static_cast<double>(p.rows);
  double entries = 0, left = rows;
  for (const LengthCount &l : llvm::reverse(p.lengths)) {
    const double taken = std::min(left, static_cast<double>(l.rows));
    entries += taken * static_cast<double>(l.length);
    left -= taken;
  }
  const double mean = static_cast<double>(p.nnz) / std::max(1.0, static_cast<double>(p.rows));
  const double longest = entries / std::max(1.0, rows) / std::max(1e-9, mean);
  return 1 + kOfDifference * (1 - orderOfLengths(in).drawn) * std::max(0.0, longest - 1);
}

static Traffic slicesTraffic(const PlanRequest &in, const Plan &plan, const QcsrTiles &tiles) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  const Counted counted(p, plan, tiles);
  const SlicesCount &count = counted.slices;
  const bool stage = qcsrStages(plan);
  Traffic t;
  t.storedBytes = storedBytesOf(qcsrSliceFields(plan, in.problem, sliceCounts(p, plan, counted)));
  t.slots = qcsrInteger(count.slots);
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  setQcsrBytesOfX(in, plan, tiles, count.pairs, t);
  t.threads = counted.blocks * plan.get(key::kBlock);
  const double threads = std::max(1.0, static_cast<double>(t.threads));
  const double uneven = stage ? unevenness(in) : 1;
  t.pace.efficiency = 1 / uneven;
  const double chain = uneven * rates[kQcsrLinePasses] * linesOfWarp(p, plan, counted) +
                       rates[kQcsrSlicePasses] * count.slices * kQcsrLanes / threads +
                       rates[kQcsrStreamPasses] * counted.streams * kQcsrLanes / threads +
                       (stage ? rates[kQcsrStagePasses] * count.pairs /
                                    static_cast<double>(std::max<int64_t>(1, counted.blocks))
                              : 0);
  t.steps = qcsrInteger(chain * threads);
  const int64_t mean = p.rows > 0 ? p.nnz / p.rows : 0;
  t.longestChain =
      qcsrInteger(chain + rates[kQcsrLinePasses] * static_cast<double>(longestRow(p) - mean));
  if (stage)
    addStaging(t, in, plan, counted.chunks);
  else if (count.pairs > kOneTile * static_cast<double>(counted.chunks))
    t.caution = rates[kQcsrCautionCut];
  addWalk(t, in, qcsrWalkOf(in, plan, stage));
  return t;
}

int64_t qcsrStoredBytes(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const QcsrTiles &tiles = qcsrTilesOf(in, plan.get(key::kQcsrD));
  if (!qcsrHasSlices(plan))
    return storedBytesOf(qcsrTileFields(plan, in.problem, qcsrTileCounts(in, plan, tiles)));
  const Counted counted(p, plan, tiles);
  return storedBytesOf(qcsrSliceFields(plan, in.problem, sliceCounts(p, plan, counted)));
}

// An element of an array has at most 8 bytes. A table of values has less than kTable.
int64_t qcsrBytesAtMost(const PlanRequest &in, const Plan &plan) {
  constexpr int64_t kElement = 8, kTable = 1 << 12;
  if (qcsrHasSlices(plan))
    return std::numeric_limits<int64_t>::max();
  const QcsrTileCounts n = qcsrTileCounts(in, plan, qcsrTilesOf(in, plan.get(key::kQcsrD)));
  const int64_t ofTiles = 5 * (n.tiles + 1), ofSegments = 3 * n.segments,
                ofSlots = 2 * n.slots + 2 * n.fullSlots;
  return kElement * (2 * (n.chunks + 1) + ofTiles + ofSegments + ofSlots) + kTable;
}

Traffic qcsrTraffic(const PlanRequest &in, const Plan &plan) {
  const QcsrTiles &tiles = qcsrTilesOf(in, plan.get(key::kQcsrD));
  Traffic t =
      qcsrHasSlices(plan) ? slicesTraffic(in, plan, tiles) : qcsrTilesTraffic(in, plan, tiles);
  if (qcsrZeroCopy(plan))
    t.hostUs = static_cast<double>(t.storedBytes) / (in.gpu.pcieGBs * 1000);
  return t;
}

} // namespace specmv
