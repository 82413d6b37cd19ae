// QCSR on the host (Zhang et al. 2013): its plans, source and launches; qcsr_layout packs.
#include "generator/formats.h"
#include "generator/qcsr_pack.h"
#include "generator/source.h"
#include "generator/traffic_of.h"
#include "models/error.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace specmv {

// Rows of a tile-row that one block owns: two for each of its groups of lanes, since a group's rows
// wait for each other (measured on an H200: 8 rows a half-warp took 1.6 times as long on
// cage11, 2.5 times on goodwin).
constexpr int64_t kRowsPerGroup = 2;
constexpr int64_t kMinTileSize = 16, kMaxTileSize = 1 << 20;

// A Full leaf stores d^2 values and bits, a Sparse one a value and a local column an entry: Full
// pays above this density. Without local columns of 16 bits it is v/(v+2) of the design.
static double defaultFill(ValueType type, int64_t d) {
  const auto v = static_cast<double>(sizeOf(type));
  return (v + 0.125) / (v + static_cast<double>(sizeOf(qcsrLocalType(d))));
}

static double fillOf(const PlanRequest &in, int64_t d) {
  for (const auto &[name, value] : in.fixed)
    if (name == "qcsr.fill")
      return value;
  return std::round(1000 * defaultFill(in.problem.type, d)) / 1000;
}

// Tiles denser than `fill` might exist: some bin of the profile's histogram reaches above it.
static bool mayHaveFull(const TileCount &tiles, double fill) {
  for (int bin = 0; bin < kDensityBins; ++bin)
    if (tiles.density[bin].tiles > 0 && std::ldexp(1.0, -bin) > fill)
      return true;
  return false;
}

// In passes of CSR-vector's loop: a pass has half the loads in flight (255 ns against 85 on an
// H200, the long row of qp_BOYD1_A). What a tile or segment costs with its descriptors, its sum
// over lanes and a barrier, and the share of the memory rate that the kernel reaches, are
// estimates.
constexpr int64_t kPassesPerTile = 8, kPassCost = 3;
constexpr double kEfficiency = 0.5;

static int64_t bytesPerSegment(const IndexTypes &index) {
  return static_cast<int64_t>(sizeOf(index.offset)) + 2 + 4;
}

static Traffic trafficOf(const PlanRequest &in, const Plan &plan, const TileCount &tiles) {
  const SparsityProfile &p = in.profile;
  const IndexTypes index = indexTypesOf(plan);
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const int64_t lanes = plan.get("qcsr.lanes"), align = plan.get("qcsr.align");
  // Between no padding (align 1) and the profile's padding to 16, in proportion.
  const int64_t slots = p.nnz + (tiles.padded16 - p.nnz) * (align - 1) / 15;
  Traffic t;
  t.storedBytes = slots * (v + static_cast<int64_t>(sizeOf(qcsrLocalType(tiles.d)))) +
                  tiles.segments * bytesPerSegment(index) + tiles.tiles * 16;
  t.streamBytes = t.storedBytes + p.rows * v;
  t.gatherBytes = gatherBytes(p, in.problem.type);
  const int64_t chunks = ceilDiv(p.rows, plan.get("rowsPerBlock"));
  const int64_t groups = kBlockThreads / lanes;
  // Tiles that a chunk walks through, one after another: no more than it has segments.
  const int64_t tilesPerChunk =
      ceilDiv(std::min(tiles.tiles * ceilDiv(tiles.d, plan.get("rowsPerBlock")), tiles.segments),
              std::max<int64_t>(1, chunks));
  const int64_t segmentsPerGroup = ceilDiv(tiles.segments, std::max<int64_t>(1, chunks) * groups);
  const int64_t passes = ceilDiv(slots, std::max<int64_t>(1, tiles.segments) * lanes);
  t.threads = chunks * kBlockThreads;
  const int64_t chain =
      kPassesPerTile * std::max(tilesPerChunk, segmentsPerGroup) + segmentsPerGroup * passes;
  t.steps = t.threads * chain;
  t.longestChain = chain + kPassCost * ceilDiv(longestRow(p), lanes);
  t.efficiency = kEfficiency;
  return t;
}

static Plan planFor(const PlanRequest &in, const TileCount &tiles, int64_t lanes, int64_t align) {
  const double fill = fillOf(in, tiles.d);
  Plan plan{.format = "qcsr",
            .integers = {{"qcsr.d", tiles.d},
                         {"qcsr.lanes", lanes},
                         {"qcsr.align", align},
                         {"rowsPerBlock", std::min(tiles.d, kRowsPerGroup * kBlockThreads / lanes)},
                         {"block", kBlockThreads},
                         {"full", mayHaveFull(tiles, fill)}},
            .reals = {{"qcsr.fill", fill}}};
  // Slots at most: segments padded to 64 instead of 16, or Full leaves that are just full enough.
  const double fullSlots = static_cast<double>(in.profile.nnz) / std::max(fill, 1e-3);
  addIndexTypes(plan, in.profile.rows, in.profile.cols,
                std::max(4 * tiles.padded16, static_cast<int64_t>(fullSlots)));
  plan.traffic = trafficOf(in, plan, tiles);
  return plan;
}

// The power of two next above the mean length of a segment, 2 .. 32.
static int64_t lanesFor(const TileCount &tiles, int64_t nnz) {
  const int64_t mean = ceilDiv(nnz, std::max<int64_t>(1, tiles.segments));
  return std::clamp<int64_t>(static_cast<int64_t>(llvm::PowerOf2Ceil(mean)), 2, 32);
}

// Tile sizes that are offered where none is fixed: x tiles of 2 KB .. 512 KB in double, from what
// L1 holds to what only L2 holds.
constexpr int64_t kTileSizes[] = {256, 1024, 8192, 65536};

static std::string whyNotFixed(const Fixed &fixed) {
  const int64_t d = fixedOr(fixed, "qcsr.d", 256);
  if (d < kMinTileSize || d > kMaxTileSize || !llvm::isPowerOf2_64(d))
    return llvm::formatv("qcsr.d = {0} is not a power of two from {1} to {2}", d, kMinTileSize,
                         kMaxTileSize);
  const int64_t lanes = fixedOr(fixed, "qcsr.lanes", 16);
  if (lanes < 1 || lanes > 32 || !llvm::isPowerOf2_64(lanes))
    return llvm::formatv("qcsr.lanes = {0} is not 1, 2, 4, 8, 16 or 32", lanes);
  const int64_t align = fixedOr(fixed, "qcsr.align", 16);
  if (align < 1 || align > 64)
    return llvm::formatv("qcsr.align = {0} is not from 1 to 64", align);
  for (const auto &[name, value] : fixed)
    if (name == "qcsr.fill" && !(value >= 0))
      return llvm::formatv("qcsr.fill = {0} is not a ratio, 0 or more", value);
  return "";
}

// The profile's tile counts for d; above its largest d the counts of that are a bound.
static TileCount tilesOf(const SparsityProfile &p, int64_t d) {
  TileCount found{};
  for (const TileCount &tiles : p.tiles)
    if (tiles.d <= d)
      found = tiles;
  found.d = d;
  return found;
}

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  if (std::string why = whyNotFixed(in.fixed); !why.empty())
    return why;
  std::vector<int64_t> sizes(std::begin(kTileSizes), std::end(kTileSizes));
  if (isFixed(in.fixed, "qcsr.d"))
    sizes = {fixedOr(in.fixed, "qcsr.d", 0)};
  std::string why;
  for (int64_t d : sizes) {
    const TileCount tiles = tilesOf(in.profile, d);
    // So few entries a tile that the numbers kept for each tile and segment outweigh the entries;
    // a handful of tiles is never the matter.
    if (tiles.tiles > in.profile.nnz / 8 + 8) {
      why = llvm::formatv(
          "qcsr with d = {0} would have {1} tiles for {2} entries, more than one for 8", d,
          tiles.tiles, in.profile.nnz);
      continue;
    }
    const int64_t tuned = lanesFor(tiles, in.profile.nnz);
    const int64_t lanes = fixedOr(in.fixed, "qcsr.lanes", tuned);
    out.push_back(planFor(in, tiles, lanes, fixedOr(in.fixed, "qcsr.align", 1)));
    const int64_t paperLanes = fixedOr(in.fixed, "qcsr.lanes", 16);
    const int64_t paperAlign = fixedOr(in.fixed, "qcsr.align", 16);
    Plan paper = planFor(in, tiles, paperLanes, paperAlign);
    if (paper.text() != out.back().text())
      out.push_back(std::move(paper));
  }
  return out.empty() ? why : "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type), local = qcsrLocalType(plan.get("qcsr.d"));
  const auto [offset, column] = indexTypesOf(plan);
  return {.name = kKernelName,
          .function = "qcsr",
          .plan = kPlanName,
          .args = "QcsrArgs",
          .types = {value, offset, column, local},
          .blockThreads = plan.get("block"),
          .arguments = {{"chunkTiles", Binding::array, offset},
                        {"tileColumn", Binding::array, column},
                        {"tileSegments", Binding::array, offset},
                        {"tileFull", Binding::array, offset},
                        {"segmentRow", Binding::array, ElementType::u16},
                        {"segmentStart", Binding::array, offset},
                        {"segmentLength", Binding::array, ElementType::i32},
                        {"local", Binding::array, local},
                        {"val", Binding::array, value},
                        {"fullBits", Binding::array, ElementType::u8},
                        {"x", Binding::x, value},
                        {"y", Binding::y, value},
                        {"alpha", Binding::alpha, value},
                        {"beta", Binding::beta, value},
                        {"rows", Binding::integer, offset},
                        {"fullBegin", Binding::integer, offset}}};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "QcsrPlan",
                              {{"blockThreads", plan.get("block")},
                               {"d", plan.get("qcsr.d")},
                               {"rowsPerBlock", plan.get("rowsPerBlock")},
                               {"lanes", plan.get("qcsr.lanes")},
                               {"align", plan.get("qcsr.align")},
                               {"fullLeaves", plan.get("full")},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"qcsr.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t chunks = layout.integer("chunks");
  return chunks == 0 ? Steps{} : Steps{launchOf(kernelOf(plan, problem), chunks)};
}

static constexpr FormatParameter kParameters[] = {
    {"qcsr.d"}, {"qcsr.fill", /*isReal=*/true}, {"qcsr.lanes"}, {"qcsr.align"}};
const Format kQcsr{"qcsr", kParameters, plans, qcsrLayout, source, steps};

} // namespace specmv
