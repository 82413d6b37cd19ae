// What a product by QCSR moves and does, from the profile's counts of tiles, spans and slices.
#include "generator/formats/qcsr/qcsr.h"

#include "generator/emit.h"
#include "generator/formats/qcsr/slices/slices.h"
#include "generator/shared/gathers.h"

#include <algorithm>
#include <cmath>

namespace specmv {

// In passes of CSR-vector's loop: a pass has half the loads in flight (255 ns against 85 on an
// H200, the long row of qp_BOYD1_A). What a tile or segment costs with its descriptors, its sum
// over lanes and a barrier, what staging x adds to that, and the share of the memory rate that the
// kernels reach, are estimates.
constexpr int64_t kPassesPerTile = 8, kPassesPerStage = 8, kPassCost = 3;
constexpr double kPaperEfficiency = 0.5;
// Of slices, in float and in double, fitted on an H200 to bands, meshes and blocks beyond L2 so
// that slices that stage x, others and ELL are ranked as measured.
constexpr double kSlicesEfficiency[] = {0.8, 0.95}, kStagedEfficiency[] = {0.84, 0.945};
// A line of a slice costs what a pass of sliced ELL does, about 3/5 (measured on an H200); to begin
// a stream, two more loads that wait for each other, and to end a slice, a sum in shared memory:
// estimates.
constexpr double kLinePasses = 0.6, kStreamPasses = 5, kSlicePasses = 0.5;

// The column spans of aligned blocks of `rows` rows, of 32 for shorter blocks; null where none were
// counted.
static const SpanCount *spansOf(const SparsityProfile &p, int64_t rows) {
  const auto found = std::ranges::find(p.spans, std::max<int64_t>(32, rows), &SpanCount::blockRows);
  return found == p.spans.end() ? nullptr : &*found;
}

// These spans added up.
static double spanTotal(const SparsityProfile &p, int64_t rows) {
  const SpanCount *spans = spansOf(p, rows);
  const int64_t blocksIn32 = std::max<int64_t>(1, 32 / std::max<int64_t>(1, rows));
  return spans ? static_cast<double>(spans->total) * static_cast<double>(blocksIn32) : 0;
}

// Pairs (chunk, tile) that hold an entry, at most: a chunk cannot touch more tiles than its span
// does or it has segments, and a tile cannot be touched by more chunks than it has.
static double chunkTiles(const SparsityProfile &p, const TileCount &tiles, int64_t rows) {
  const auto d = static_cast<double>(tiles.d);
  const auto chunks = static_cast<double>(ceilDiv(p.rows, rows));
  const double perTile = std::max(1.0, d / static_cast<double>(rows));
  return std::min({chunks + spanTotal(p, rows) / d, static_cast<double>(tiles.segments),
                   static_cast<double>(tiles.tiles) * perTile,
                   chunks * static_cast<double>(ceilDiv(p.cols, tiles.d))});
}

namespace {
// Pairs (chunk, tile) that hold an entry and segments of all rows, at least one each.
struct Cuts {
  double pairs, segments;
};
} // namespace

// Of slices, whose borders are those of the matrix or, where x is staged, of each chunk.
static Cuts cutsOf(const SparsityProfile &p, const TileCount &tiles, int64_t rows, bool stage) {
  const auto segments = static_cast<double>(std::max<int64_t>(1, tiles.segments));
  const SpanCount *spans = spansOf(p, rows);
  if (!stage || !spans || spans->longest > tiles.d)
    return {std::max(1.0, chunkTiles(p, tiles, rows)), segments};
  const auto chunks = static_cast<double>(std::max<int64_t>(1, ceilDiv(p.rows, rows)));
  const auto rowsAtLeast1 = static_cast<double>(std::max<int64_t>(1, p.rows));
  return {std::min(chunks, segments), std::min(rowsAtLeast1, segments)};
}

// Bytes of x that blocks copy to shared memory.
static double stagedBytes(const PlanRequest &in, const TileCount &tiles, int64_t rows,
                          double pairs) {
  const double columns =
      std::min(pairs * static_cast<double>(tiles.d), spanTotal(in.profile, rows) + pairs);
  return columns * static_cast<double>(sizeOf(in.problem.type));
}

static int64_t integer(double x) { return static_cast<int64_t>(x); }

static void setBytesOfX(const PlanRequest &in, const Plan &plan, const TileCount &tiles,
                        double pairs, Traffic &t) {
  if (qcsrStages(plan))
    t.stagedBytes = integer(stagedBytes(in, tiles, plan.get("qcsr.rows"), pairs));
  else
    t.gatherBytes = gatherBytes(in.profile, in.problem.type);
}

static int64_t bytesPerSegment(const IndexTypes &index) {
  return static_cast<int64_t>(sizeOf(index.offset)) + 2 + 4;
}

static int64_t bytesPerTile(const Plan &plan) {
  const auto [offset, column] = indexTypesOf(plan);
  return static_cast<int64_t>(sizeOf(column) * (qcsrStages(plan) ? 3 : 1) + 2 * sizeOf(offset));
}

// The tiles that are Full leaves: all of a bin of the histogram whose mean density is above the
// fill-in ratio, since the profile tells no more of them.
static DensityBin fullLeaves(const Plan &plan, const TileCount &tiles) {
  DensityBin full{0, 0};
  const auto area = static_cast<double>(tiles.d) * static_cast<double>(tiles.d);
  for (const DensityBin &bin : tiles.density)
    if (plan.get("full") && static_cast<double>(bin.entries) >
                                plan.getReal("qcsr.fill") * area * static_cast<double>(bin.tiles))
      full = {full.tiles + bin.tiles, full.entries + bin.entries};
  return full;
}

// Bytes of their values and bits, d^2 each; far more than any matrix has where that is more.
static int64_t fullBytes(const DensityBin &full, int64_t d, int64_t v) {
  constexpr double kMost = 1e18;
  const double slots =
      static_cast<double>(full.tiles) * static_cast<double>(d) * static_cast<double>(d);
  return integer(std::min(kMost, slots * (static_cast<double>(v) + 0.125)));
}

static Traffic paperTraffic(const PlanRequest &in, const Plan &plan, const TileCount &tiles) {
  const SparsityProfile &p = in.profile;
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const int64_t lanes = plan.get("qcsr.lanes"), align = plan.get("qcsr.align");
  const int64_t rows = plan.get("qcsr.rows"), chunks = ceilDiv(p.rows, rows);
  const double pairs = chunkTiles(p, tiles, rows);
  // Between no padding (align 1) and the profile's padding to 16, in proportion.
  const int64_t slots = p.nnz + (tiles.padded16 - p.nnz) * (align - 1) / 15;
  const DensityBin full = fullLeaves(plan, tiles);
  const double sparse =
      1 - static_cast<double>(full.entries) / static_cast<double>(std::max<int64_t>(1, p.nnz));
  Traffic t;
  t.storedBytes =
      integer(sparse * static_cast<double>(
                           slots * (v + static_cast<int64_t>(sizeOf(qcsrLocalType(tiles.d)))))) +
      fullBytes(full, tiles.d, v) + tiles.segments * bytesPerSegment(indexTypesOf(plan)) +
      integer(pairs) * bytesPerTile(plan);
  t.streamBytes = t.storedBytes + p.rows * v;
  setBytesOfX(in, plan, tiles, pairs, t);
  const int64_t groups = plan.get("block") / lanes;
  // Tiles that a chunk walks through, one after another.
  const int64_t tilesPerChunk = integer(pairs) / std::max<int64_t>(1, chunks) + 1;
  const int64_t segmentsPerGroup = ceilDiv(tiles.segments, std::max<int64_t>(1, chunks) * groups);
  const int64_t passes = ceilDiv(slots, std::max<int64_t>(1, tiles.segments) * lanes);
  t.threads = chunks * plan.get("block");
  const int64_t chain = kPassesPerTile * std::max(tilesPerChunk, segmentsPerGroup) +
                        (qcsrStages(plan) ? kPassesPerStage * tilesPerChunk : 0) +
                        segmentsPerGroup * passes;
  t.steps = t.threads * chain;
  t.longestChain = chain + kPassCost * ceilDiv(longestRow(p), lanes);
  t.efficiency = kPaperEfficiency;
  return t;
}

// Slots of all rows in slices of 32 that are sorted by length inside windows of `rows`: between
// windows of 32, where sorting gains nothing, and of 1,024, as the number of slices a window.
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

// What the slices of a tile have beyond its entries because rows are cut at its borders, as a
// share: lengths of cut segments are taken for random, within two standard deviations of the square
// root of their mean, and a slice loses half of its share of that range. Few diagonals are cut
// alike.
static double spreadOf(const SparsityProfile &p, double segments, double slicesPerPair) {
  if (p.occupiedDiagonals <= kMaxListedDiagonals)
    return 0;
  const double cut = std::max(0.0, 1 - static_cast<double>(p.rows) / segments);
  const double length = static_cast<double>(p.nnz) / segments;
  return cut * 2 / std::sqrt(length) / slicesPerPair;
}

// Where chunks touch several tiles, the last slice of each lacks segments.
static SlicesCount countSlices(const SparsityProfile &p, const TileCount &tiles, int64_t rows,
                               bool stage, int64_t streamsPerTile) {
  const double chunks = std::max(1.0, static_cast<double>(ceilDiv(p.rows, rows)));
  const auto [pairs, segments] = cutsOf(p, tiles, rows, stage);
  const double perPair = segments / pairs, length = static_cast<double>(p.nnz) / segments;
  const double lacking = pairs <= chunks ? 0
                         : perPair < kQcsrLanes
                             ? kQcsrLanes - perPair
                             : std::min(kQcsrLanes / 2.0, static_cast<double>(rows) - perPair);
  SlicesCount count{pairs, 0, 0, 0};
  count.slices = std::max(pairs, (segments + std::max(0.0, lacking) * pairs) / kQcsrLanes);
  count.slots = paddedRows(p, rows) * (1 + spreadOf(p, segments, count.slices / pairs)) +
                std::max(0.0, lacking) * pairs * std::max(1.0, length / 2);
  const double streams = std::min(count.slices, pairs * static_cast<double>(streamsPerTile));
  count.batches = count.slots / kQcsrLanes / kQcsrBatch + streams / 2;
  return count;
}

int64_t qcsrSliceSlots(const SparsityProfile &p, const TileCount &tiles, int64_t rows) {
  return integer(countSlices(p, tiles, rows, false, 1).slots);
}

static Traffic slicesTraffic(const PlanRequest &in, const Plan &plan, const TileCount &tiles) {
  const SparsityProfile &p = in.profile;
  const bool stage = qcsrStages(plan);
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t rows = plan.get("qcsr.rows"), warps = plan.get("block") / kQcsrLanes;
  const int64_t chunks = ceilDiv(p.rows, rows), blocks = ceilDiv(chunks, qcsrChunksPerBlock(plan));
  const SlicesCount count = countSlices(p, tiles, rows, stage, stage ? warps : 1);
  const double streams = std::max(1.0, static_cast<double>(warps) *
                                           (stage ? count.pairs : static_cast<double>(blocks)));
  const auto v = static_cast<double>(sizeOf(in.problem.type));
  Traffic t;
  t.storedBytes =
      integer(count.slots * (v + static_cast<double>(sizeOf(qcsrSliceLocalType(tiles.d)))) +
              count.slices * kQcsrLanes * static_cast<double>(sizeOf(qcsrRowType(rows))) +
              count.batches * static_cast<double>(sizeOf(column)) +
              streams * 3 * static_cast<double>(sizeOf(offset)) +
              (stage ? count.pairs * 2 * static_cast<double>(sizeOf(column)) +
                           static_cast<double>((chunks + 1) * static_cast<int64_t>(sizeOf(offset)))
                     : 0));
  t.streamBytes = t.storedBytes + p.rows * static_cast<int64_t>(sizeOf(in.problem.type));
  setBytesOfX(in, plan, tiles, count.pairs, t);
  t.threads = blocks * plan.get("block");
  const double threads = std::max(1.0, static_cast<double>(t.threads));
  const double chain = kLinePasses * count.slots / threads +
                       kSlicePasses * count.slices * kQcsrLanes / threads +
                       kStreamPasses * streams * kQcsrLanes / threads +
                       (stage ? static_cast<double>(kPassesPerStage) * count.pairs /
                                    static_cast<double>(std::max<int64_t>(1, blocks))
                              : 0);
  t.steps = integer(chain * threads);
  const int64_t mean = p.rows > 0 ? p.nnz / p.rows : 0;
  t.longestChain = integer(chain + kLinePasses * static_cast<double>(longestRow(p) - mean));
  t.efficiency = (stage ? kStagedEfficiency : kSlicesEfficiency)[in.problem.type == ValueType::f64];
  return t;
}

Traffic qcsrTraffic(const PlanRequest &in, const Plan &plan, const TileCount &tiles) {
  Traffic t = qcsrHasSlices(plan) ? slicesTraffic(in, plan, tiles) : paperTraffic(in, plan, tiles);
  if (qcsrZeroCopy(plan))
    t.hostUs = static_cast<double>(t.storedBytes) / (in.gpu.pcieGBs * 1000);
  return t;
}

} // namespace specmv
