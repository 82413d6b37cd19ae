// The plans of QCSR in slices for a profile. A plan says how many rows a warp owns or, if x is
// staged in shared memory, how many rows a block owns and how much of x it stages.
#include "generator/emit.h"
#include "generator/formats/qcsr/qcsr.h"
#include "generator/formats/qcsr/slices/slices.h"

#include <algorithm>

namespace specmv {

// Warps of an SM: the registers of a kernel in double allow four blocks of eight warps. There are
// to be so many twice: if all warps ran at once, all would wait for those with the longest rows.
// (On an H200 with twice the rows of a warp, products in double of nine kinds of meshes and graphs
// took 1.00 to 1.12 times as long, one 0.99.)
constexpr int64_t kWarpsPerSm = 32, kWaves = 2;
// With this many lines, the two loads at the begin of a stream are a small part of its time.
constexpr int64_t kLinesPerStream = 40;

// Rows of a warp: enough for kLinesPerStream lines; if row lengths differ, as many as possible, so
// that sorting gains more; but few enough that the warps fill the GPU twice.
static int64_t rowsOfWarp(const PlanRequest &in) {
  const SparsityProfile &p = in.profile;
  const int64_t mean = ceilDiv(p.nnz, std::max<int64_t>(1, p.rows));
  const bool isEven = !p.lengths.empty() && p.lengths.back().length <= mean;
  const int64_t wanted =
      isEven ? ceilDiv(kLinesPerStream * kQcsrLanes, std::max<int64_t>(1, mean)) : kQcsrMaxRows;
  const int64_t most = p.rows / (kWaves * kWarpsPerSm * in.gpu.sms);
  return std::clamp<int64_t>(qcsrPowerBelow(std::min(wanted, most)), kQcsrLanes, 256);
}

// A bound of the columns of a tile that a chunk spans: the longest span of aligned blocks of at
// least as many rows that the profile counts.
static int64_t windowBound(const SparsityProfile &p, int64_t d, int64_t rows) {
  for (const SpanCount &span : p.spans)
    if (span.blockRows >= rows)
      return std::clamp<int64_t>(span.longest, 1, d);
  return d;
}

// Windows are rounded up to multiples of this, so that similar matrices share a kernel.
constexpr int64_t kWindowStep = 256;

// Threads of a block that stages x: an SM has kQcsrThreadsPerSm of them, if the blocks fit its
// shared memory. CUDA reserves 1 KB of shared memory for each block.
static int64_t blockFor(int64_t sharedBytes, const GpuModel &gpu) {
  const int64_t blocks = (gpu.sharedBytesPerBlock + 1024) / (sharedBytes + 1024);
  return kQcsrThreadsPerSm / std::clamp<int64_t>(qcsrPowerBelow(blocks), 1, 4);
}

static Plan slicesPlan(const PlanRequest &in, const QcsrTiles &tiles, int64_t rows) {
  Plan plan{.format = "qcsr",
            .integers = {{key::kQcsrD, tiles.d},
                         {key::kQcsrSlices, 1},
                         {key::kQcsrStage, 0},
                         {key::kQcsrZerocopy, fixedOr(in.fixed, key::kQcsrZerocopy, 0)},
                         {key::kQcsrRows, rows},
                         {key::kQcsrWindow, 0},
                         {key::kBlock, kBlockThreads}}};
  // A bound of the slots: one slice for each entry or 4 times the estimate, whichever is less.
  const int64_t slots =
      std::min(kQcsrLanes * in.profile.nnz, 4 * qcsrSliceSlots(in.profile, tiles, rows));
  addIndexTypes(plan, in.profile.rows, qcsrColumnBound(plan, in.profile.cols), slots);
  return plan;
}

// Rows of a block that stages x. With more rows x is staged less often, but there must be a block
// for each SM.
static std::vector<int64_t> stagedRows(const PlanRequest &in) {
  if (isFixed(in.fixed, key::kQcsrRows))
    return {fixedOr(in.fixed, key::kQcsrRows, 0)};
  std::vector<int64_t> out;
  for (int64_t rows = 512; rows <= kQcsrMaxRows; rows *= 2)
    if (rows == 512 || rows <= in.profile.rows / in.gpu.sms)
      out.push_back(rows);
  return out;
}

static Plan stagedPlan(const PlanRequest &in, const QcsrTiles &tiles, int64_t rows) {
  Plan plan = slicesPlan(in, tiles, rows);
  const int64_t bound = windowBound(in.profile, tiles.d, rows);
  plan.set(key::kQcsrStage, 1);
  plan.set(key::kQcsrWindow, std::min(tiles.d, roundUp(bound, kWindowStep)));
  const bool isNarrow = plan.get(key::kOffset) == 32 && plan.get(key::kColumn) == 32;
  const int64_t block = blockFor(qcsrSharedBytes(plan, vectorTypeOf(in.problem)), in.gpu);
  plan.set(key::kBlock, isNarrow ? block : std::min<int64_t>(block, 512)); // registers
  return plan;
}

std::vector<Plan> qcsrSlicesPlans(const PlanRequest &in, const QcsrTiles &tiles, bool stage) {
  if (!stage)
    return {slicesPlan(in, tiles, fixedOr(in.fixed, key::kQcsrRows, rowsOfWarp(in)))};
  std::vector<Plan> out;
  for (int64_t rows : stagedRows(in))
    out.push_back(stagedPlan(in, tiles, rows));
  return out;
}

} // namespace specmv
