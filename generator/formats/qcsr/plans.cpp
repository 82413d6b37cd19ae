// The plans that QCSR offers for a profile: tile sizes, layouts and mappings.
#include "generator/formats/qcsr/qcsr.h"

#include "generator/coding/coding.h"
#include "generator/emit.h"
#include "generator/formats/qcsr/slices/slices.h"
#include "generator/rank.h"
#include "models/base/text.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace specmv {

// Rows that a block owns in the paper's layout, for each of its groups of lanes. A group multiplies
// its rows one after the other, so they are few. (On an H200, with 8 rows for each half-warp a
// product took 1.6 times as long on cage11 and 2.5 times on goodwin.)
constexpr int64_t kRowsPerGroup = 2;

// The density above which a Full leaf pays: it stores d^2 values and d^2 bits, a Sparse one a value
// and a local column for each entry. With local columns of 16 bits and without the bits that is
// v / (v + 2), for values of v bytes.
static double defaultFill(ValueType type, int64_t d) {
  const auto v = static_cast<double>(sizeOf(type));
  return (v + 0.125) / (v + static_cast<double>(sizeOf(qcsrLocalType(d))));
}

static double fillOf(const PlanRequest &in, int64_t d) {
  for (const auto &[name, value] : in.fixed)
    if (name == key::kQcsrFill.name)
      return value;
  return std::round(1000 * defaultFill(in.problem.type, d)) / 1000;
}

// Whether tiles denser than `fill` may exist: a bin of the profile's sample that has tiles reaches
// above `fill`.
static bool mayHaveFull(const SparsityProfile &p, const QcsrTiles &tiles, double fill) {
  for (int bin = 0; bin < kDensityBins; ++bin)
    if (tiles.density.bins[static_cast<size_t>(bin)] > 0 &&
        qcsrDensityOf(p, tiles.d, bin).most > fill)
      return true;
  return false;
}

// --- The paper's layout

static Plan paperPlan(const PlanRequest &in, const QcsrTiles &tiles, bool stage, int64_t lanes,
                      int64_t align) {
  const double fill = fillOf(in, tiles.d);
  // A block that stages x gets more rows, so that more entries use the columns that it copies.
  const int64_t v = vectorValueBytes(in.problem);
  const int64_t most = stage ? kQcsrSharedBytes / 3 / v : kRowsPerGroup * kBlockThreads / lanes;
  const int64_t rows = fixedOr(in.fixed, key::kQcsrRows, std::min(tiles.d, qcsrPowerBelow(most)));
  // The profile has the densities of aligned tiles; those of halves are known when they are packed.
  const bool isHalved = fixedOr(in.fixed, key::kQcsrHalved, 0) != 0;
  Plan plan{
      .format = "qcsr",
      .integers = {{key::kQcsrD, tiles.d},
                   {key::kQcsrSlices, 0},
                   {key::kQcsrStage, stage},
                   {key::kQcsrZerocopy, fixedOr(in.fixed, key::kQcsrZerocopy, 0)},
                   {key::kQcsrRowLanes, lanes},
                   {key::kQcsrAlign, align},
                   {key::kQcsrRows, rows},
                   {key::kBlock, kBlockThreads},
                   {key::kQcsrFull, isHalved ? fill < 1 : mayHaveFull(in.profile, tiles, fill)}},
      .reals = {{key::kQcsrFill, fill}}};
  if (isHalved)
    plan.integers.emplace_back(key::kQcsrHalved.name, 1);
  // An estimate of the largest number of slots: segments are padded to 64 instead of 16, or all
  // entries are in Full leaves that are just full enough. Halves have a quarter of d x d or more.
  const double fullSlots =
      (isHalved ? 4 : 1) * static_cast<double>(in.profile.nnz) / std::max(fill, 1e-3);
  addIndexTypes(plan, in.profile.rows, in.profile.cols,
                std::max(4 * tiles.padded16, static_cast<int64_t>(fullSlots)));
  return plan;
}

// The least power of two that is not below the mean length of a segment, within 2 .. 32.
static int64_t lanesFor(const QcsrTiles &tiles, int64_t nnz) {
  const int64_t mean = ceilDiv(nnz, std::max<int64_t>(1, tiles.segments));
  return std::clamp<int64_t>(static_cast<int64_t>(llvm::PowerOf2Ceil(mean)), 2, 32);
}

// Adds a plan with the number of lanes that fits the segments, and one with the paper's half-warps
// and its alignment to 16.
static void addPaperPlans(const PlanRequest &in, const QcsrTiles &tiles, bool stage,
                          std::vector<Plan> &out) {
  const int64_t tuned = fixedOr(in.fixed, key::kQcsrRowLanes, lanesFor(tiles, in.profile.nnz));
  out.push_back(paperPlan(in, tiles, stage, tuned, fixedOr(in.fixed, key::kQcsrAlign, 1)));
  Plan paper = paperPlan(in, tiles, stage, fixedOr(in.fixed, key::kQcsrRowLanes, 16),
                         fixedOr(in.fixed, key::kQcsrAlign, 16));
  if (!(paper == out.back()))
    out.push_back(std::move(paper));
}

// --- All of them

// The tile sizes that are offered if none is fixed. In the paper's layout: tiles whose part of x
// has 2 KB (which fits L1) to 512 KB (which fits only L2) in double. In slices: the largest tiles
// with local columns of 16 bits. If x is staged: also tiles whose part of x takes two thirds
// of the shared memory.
static std::vector<int64_t> tileSizes(const PlanRequest &in, bool slices, bool stage) {
  if (isFixed(in.fixed, key::kQcsrD))
    return {fixedOr(in.fixed, key::kQcsrD, 0)};
  const int64_t largest = qcsrPowerBelow(kQcsrSharedBytes * 2 / 3 / vectorValueBytes(in.problem));
  if (slices && stage)
    return {2 * largest, 32768};
  if (slices)
    return {32768};
  return stage ? std::vector<int64_t>{1024, largest} : std::vector<int64_t>{256, 1024, 8192, 65536};
}

// Whether the fixed numbers allow this layout. Slices have no groups of lanes, no alignment and no
// Full leaves.
static bool isAllowed(const Fixed &fixed, bool slices, bool stage) {
  const bool wantsPaper = isFixed(fixed, key::kQcsrRowLanes) || isFixed(fixed, key::kQcsrAlign) ||
                          isFixed(fixed, key::kQcsrFill) || isFixed(fixed, key::kQcsrHalved);
  return fixedOr(fixed, key::kQcsrSlices, slices) == slices &&
         fixedOr(fixed, key::kQcsrStage, stage) == stage && !(slices && wantsPaper);
}

int64_t qcsrMostBytes(const std::string &values, ValueType type, int64_t nnz) {
  constexpr int64_t kMaxGrowth = 16;
  return kMaxGrowth * (bytesOfValues(values, type, nnz) + nnz * 4) + (1 << 20);
}

// The numbers that decide how much a plan stores.
static std::string sizesOf(const Plan &plan) {
  std::string text = llvm::formatv("qcsr.d = {0}", plan.get(key::kQcsrD));
  if (plan.get(key::kQcsrFull, 0))
    text += llvm::formatv(" and dense leaves above a fill of {0}",
                          decimalText(plan.get(key::kQcsrFill)));
  return text;
}

static std::string whyNotPlan(const PlanRequest &in, const Plan &plan) {
  const int64_t rows = plan.get(key::kQcsrRows), d = plan.get(key::kQcsrD);
  if (qcsrHasSlices(plan) ? rows < kQcsrLanes : rows > d)
    return qcsrHasSlices(plan)
               ? llvm::formatv("qcsr.rows = {0} is less than the {1} rows of a slice", rows,
                               kQcsrLanes)
                     .str()
               : llvm::formatv("qcsr.rows = {0} is more than qcsr.d = {1}", rows, d).str();
  const int64_t shared = qcsrSharedBytes(plan, vectorTypeOf(in.problem));
  const int64_t most =
      qcsrHasSlices(plan) && qcsrStages(plan) ? in.gpu.sharedBytesPerBlock : kQcsrSharedBytes;
  if (shared > most)
    return llvm::formatv("qcsr with qcsr.d = {0} and qcsr.rows = {1} needs {2} bytes of shared "
                         "memory; the limit is {3}",
                         d, rows, shared, most);
  const int64_t values = bytesOfValues(in.values, in.problem.type, in.profile.nnz);
  const int64_t limit = qcsrMostBytes(in.values, in.problem.type, in.profile.nnz);
  const int64_t stored = qcsrBytesAtMost(in, plan) > limit ? qcsrStoredBytes(in, plan)
                                                           : 0; // the bound is found sooner
  if (stored > limit)
    return llvm::formatv(
        "qcsr with {0} would store about {1} bytes for {2} entries; the limit is {3}",
        sizesOf(plan), stored, in.profile.nnz, limit);
  // The bytes of all arrays are an estimate here; layout() counts them.
  if (qcsrZeroCopy(plan) && values > kQcsrZeroCopyBytes)
    return llvm::formatv(
        "qcsr.zerocopy = 1 is for matrices of up to {0} bytes; the values alone take {1}",
        kQcsrZeroCopyBytes, values);
  return "";
}

// Whether two plans differ only in d and give the same layout. If x is staged, the tiles of slices
// begin at a chunk's first column. If a chunk reads only columns of a window smaller than d, the
// chunk has one tile for either d.
static bool isEqualButForD(const Plan &plan, const Plan &other) {
  return plan.get(key::kQcsrWindow) < std::min(plan.get(key::kQcsrD), other.get(key::kQcsrD)) &&
         std::ranges::equal(plan.integers, other.integers, [](const auto &a, const auto &b) {
           return a == b || (a.first == key::kQcsrD.name && b.first == key::kQcsrD.name);
         });
}

// Adds the plans of one layout and one d, or returns why there are none.
static std::string addQcsrPlans(const PlanRequest &in, bool slices, bool stage, int64_t d,
                                std::vector<Plan> &out) {
  const QcsrTiles &tiles = qcsrTilesOf(in, d);
  // With fewer than 8 entries in a tile, the arrays of tiles and segments have more bytes than
  // those of entries. A handful of tiles is always allowed.
  const int64_t most = in.profile.nnz / 8 + 8;
  if (tiles.tiles > most)
    return llvm::formatv(
        "qcsr with qcsr.d = {0} would have {1} tiles for {2} entries; the limit is {3}", d,
        tiles.tiles, in.profile.nnz, most);
  std::vector<Plan> plans;
  if (slices)
    plans = qcsrSlicesPlans(in, tiles, stage);
  else
    addPaperPlans(in, tiles, stage, plans);
  std::string why;
  for (Plan &plan : plans) {
    plan.values = in.values;
    if (slices && stage &&
        llvm::any_of(out, [&](const Plan &other) { return isEqualButForD(plan, other); }))
      continue;
    if (std::string reason = whyNotPlan(in, plan); reason.empty())
      out.push_back(std::move(plan));
    else
      why = std::move(reason);
  }
  return why;
}

std::string qcsrOffer(const PlanRequest &in, std::vector<Plan> &out) {
  std::string why = "qcsr.slices = 1 does not use qcsr.lanes, qcsr.align, qcsr.fill and "
                    "qcsr.halved; set qcsr.slices = 0, or do not set them";
  for (bool slices : {true, false})
    for (bool stage : {false, true})
      if (isAllowed(in.fixed, slices, stage))
        for (int64_t d : tileSizes(in, slices, stage))
          if (std::string reason = addQcsrPlans(in, slices, stage, d, out); !reason.empty())
            why = std::move(reason);
  return out.empty() ? why : "";
}

} // namespace specmv
