// Column tiles on the host (templates/ctile.cuh): the plans, their traffic, source and launches.
// layout.cpp packs, pieces.cpp divides the work among blocks.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/ctile/layout.h"
#include "generator/formats/ctile/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/walk.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <bit>

namespace specmv {

constexpr PaceRates kPace("ctile");
constexpr const PaceRates *kPaces[] = {&kPace};
// Estimates, with which products on an H100 took 0.94 to 1.06 times what was predicted
// (models/gpus/h100.json). kEndItems: 700,000 rows of one slot in a tile of 336 columns took 93 us
// on 4 SMs, so 0.004 ns on all SMs.
constexpr Rate kStaged{"ctile.staged",
                       "time of a staged byte of x, in multiples of the time at l2GBs", 1};
constexpr Rate kStepUs{"ctile.stepUs", "microseconds that a block waits for a tile to be staged",
                       2};
constexpr Rate kSumsLaunches{"ctile.sumsLaunches",
                             "launches that the kernel costs which adds up the sums of tiles", 2,
                             kWideFit};
constexpr Rate kEndItems{
    "ctile.endItems", "entries that cost as much work as the end of a row in a tile", 8, kWideFit};
constexpr Rate kRates[] = {kStaged, kStepUs, kSumsLaunches, kEndItems};

// An SM holds this many threads, so that each has 64 registers, enough for a batch of doubles and
// for the columns of the next.
constexpr int64_t kThreadsPerSm = 1024;
// Columns of a tile that is chosen are a multiple of this.
constexpr int64_t kColumnsStep = 256;
// CUDA reserves 1 KB of shared memory for each block.
constexpr int64_t kReservedBytes = 1024;
// Shared memory of an SM that tiles leave to L1, for the loads in flight, or take too. With equally
// many tiles, the larger ones took 1.04 times as long on an H100 (features:cols=120000).
constexpr int64_t kTaken[] = {32 << 10, 0};
// Shorter segments of rows cost more than their bytes spare: each stores a sum, which another
// kernel reads.
constexpr int64_t kLeastSegment = 4;

constexpr Parameter kParameters[] = {
    {.name = key::kCtileColumns.name,
     .least = 32,
     .most = kCtileMostColumns,
     .isSettable = true,
     // In tests, with 127 columns the window is aligned so that x is copied by 16 bytes.
     .tried = {32, 127, 4096}},
    {.name = key::kCtileThreads.name,
     .least = 32,
     .most = kThreadsPerSm,
     .isPowerOfTwo = true,
     .isSettable = true,
     .tried = {32, 1024}},
    {.name = key::kCtileBlocks.name,
     .least = 1,
     .most = 1 << 20,
     .isSettable = true,
     .tried = {1, 3}},
    {.name = key::kCtileSums.name, .least = 0, .most = 1}};

// Blocks that fit an SM if each has tiles of so many bytes.
static int64_t blocksPerSm(const GpuModel &gpu, int64_t bytes) {
  const int64_t fit = (gpu.sharedBytesPerBlock + kReservedBytes) / (bytes + kReservedBytes);
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(fit, 1, 4))));
}

static Plan planFor(const PlanRequest &in, int64_t columns) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "ctile",
            .integers = {{key::kCtileColumns, columns},
                         {key::kCtileThreads, kThreadsPerSm},
                         {key::kCtileBlocks, in.gpu.sms},
                         {key::kCtileSums, p.cols > columns}}};
  const int64_t perSm = blocksPerSm(in.gpu, ctileSharedBytes(plan, vectorTypeOf(in.problem)));
  plan.set(key::kCtileThreads, fixedOr(in.fixed, key::kCtileThreads, kThreadsPerSm / perSm));
  plan.set(key::kCtileBlocks, fixedOr(in.fixed, key::kCtileBlocks, in.gpu.sms * perSm));
  return plan;
}

// Slots for the entries, for rows that are empty in a tile, and for the ends of tiles.
static int64_t slotsOf(const SparsityProfile &p, const Plan &plan) {
  const int64_t tiles = ctileTiles(plan, p.cols), rows = p.rows * tiles;
  const double notEmpty = rowsNotEmpty(p);
  double segments = notEmpty;
  if (tiles > 1 && p.nnz > 0) {
    // Tiles of the next power of two, so that there are not fewer segments than these.
    const int level = std::min<int>(
        static_cast<int>(std::bit_width(static_cast<uint64_t>(plan.get(key::kCtileColumns) - 1))),
        kReuseLevels - 1);
    segments =
        std::max(segments, reuseAround(p, level, 1).below.share() * static_cast<double>(p.nnz));
  }
  const auto empty = static_cast<int64_t>(std::max(0.0, static_cast<double>(rows) - segments));
  return roundUp(p.nnz + empty, kCtileBatch) + (tiles - 1) * kCtileBatch / 2;
}

static CtileCounts countsOf(const SparsityProfile &p, const Plan &plan, const Problem &problem) {
  CtileCounts n{.rows = p.rows, .cols = p.cols, .tiles = ctileTiles(plan, p.cols)};
  n.batches = ceilDiv(slotsOf(p, plan), kCtileBatch);
  const int64_t work = n.batches + n.tiles * ctileWorkOfEnds(problem, p.rows);
  n.blocks = std::min(plan.get(key::kCtileBlocks),
                      ceilDiv(work, ctileWorkOf(plan, problem, p.cols).leastOfBlock()));
  n.pieces = n.blocks + n.tiles - 1;
  return n;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  const CtileCounts n = countsOf(p, plan, in.problem);
  const int64_t v = vectorValueBytes(in.problem), rows = n.rows * n.tiles;
  const int64_t threads = plan.get(key::kCtileThreads);
  const int64_t perSm = blocksPerSm(in.gpu, ctileSharedBytes(plan, vectorTypeOf(in.problem)));
  Traffic t;
  t.storedBytes = storedBytesOf(ctileAllFields(plan, in.problem, n));
  t.slots = n.batches * kCtileBatch;
  t.streamBytes = t.storedBytes + (ctileHasSums(plan) ? 2 * rows * v : 0) + p.rows * v;
  t.stagedBytes = n.pieces * std::min(ctileWidth(plan, p.cols), p.cols) * v;
  t.threads = n.blocks * threads;
  t.threadsPerSm = static_cast<int32_t>(std::min(kThreadsPerSm, perSm * threads));
  const int64_t warps = std::max<int64_t>(1, t.threads / 32);
  t.longestChain = ceilDiv(n.batches, warps);
  t.steps = t.threads * t.longestChain;
  // The few blocks that begin several pieces have less to multiply.
  const double starts =
      static_cast<double>(n.pieces) / static_cast<double>(std::max<int64_t>(1, n.blocks));
  // An SM takes its share of the rate of L2, also where others have no block.
  const double idle = static_cast<double>(std::max(in.gpu.sms, n.blocks)) /
                      static_cast<double>(std::max<int64_t>(1, n.blocks));
  t.stagingUs = idle * static_cast<double>(t.stagedBytes) / 1000 / in.gpu.l2GBs * rates[kStaged] +
                starts * rates[kStepUs];
  t.launches = ctileHasSums(plan) ? 1 + rates[kSumsLaunches] : 1;
  addWalk(t, in,
          {.pace = kPace,
           .moreItems = static_cast<int64_t>(rates[kEndItems] * static_cast<double>(rows)),
           .apart = 0});
  return t;
}

// Sizes of tiles for the matrix: as large as a block may have, and as large as leaves more of L1;
// if x is one tile with more blocks on an SM, the smallest such tile.
static std::vector<int64_t> columnsFor(const PlanRequest &in) {
  if (isFixed(in.fixed, key::kCtileColumns))
    return {fixedOr(in.fixed, key::kCtileColumns, 0)};
  const int64_t v = vectorValueBytes(in.problem), spare = (2 * kThreadsPerSm / 32 + 1) * v;
  std::vector<int64_t> out;
  for (int64_t perSm : {4, 2, 1})
    for (int64_t taken : kTaken) {
      const int64_t bytes =
          (in.gpu.sharedBytesPerBlock + kReservedBytes - taken) / perSm - kReservedBytes - spare;
      const int64_t columns =
          std::min<int64_t>(bytes / v, kCtileMostColumns) / kColumnsStep * kColumnsStep;
      if (columns < kColumnsStep || (perSm > 1 && columns < in.profile.cols))
        continue;
      out.push_back(columns);
      if (perSm > 1)
        return out;
    }
  return out;
}

// Says in a sentence why tiles of so many columns cannot pay; "" if they can.
static std::string whyNotPaying(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const int64_t rows = p.rows * ctileTiles(plan, p.cols);
  if (isFixed(in.fixed, key::kCtileColumns) || p.nnz >= kLeastSegment * rows)
    return "";
  return llvm::formatv(
      "tiles of {0} columns cut {1} entries into {2} parts of rows; ctile pays for "
      "parts of {3} entries or more (set ctile.columns to have it anyway)",
      plan.get(key::kCtileColumns), p.nnz, rows, kLeastSegment);
}

static std::string whyNotFits(const PlanRequest &in, const Plan &plan) {
  const int64_t bytes = ctileSharedBytes(plan, vectorTypeOf(in.problem));
  if (bytes <= in.gpu.sharedBytesPerBlock)
    return "";
  return llvm::formatv(
      "ctile.columns = {0} needs {1} bytes of shared memory; a block of {2} has {3}",
      plan.get(key::kCtileColumns), bytes, in.gpu.name, in.gpu.sharedBytesPerBlock);
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::string why = "a block has too little shared memory for a tile of x";
  for (int64_t columns : columnsFor(in)) {
    Plan plan = planFor(in, columns);
    const int64_t tiles = ctileTiles(plan, p.cols);
    why = whyNotFits(in, plan);
    if (why.empty())
      why = whyNotPaying(in, plan);
    const int64_t slots = slotsOf(p, plan);
    if (why.empty())
      why = whyNoCtile(p.rows, tiles, p.nnz, slots);
    if (!why.empty())
      continue;
    // The estimate may be too low, but each row of a tile has at most one slot without an entry.
    addIndexTypes(plan, p.rows, p.cols, p.nnz + (p.rows + kCtileBatch) * tiles);
    out.push_back(plan);
  }
  return out.empty() ? why : "";
}

constexpr const char *kSumsName = "specmv_sums", *kSumsPlanName = "kSumsPlan";
constexpr int64_t kSumsThreads = 128;

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const OnY onY = ctileHasSums(plan) ? OnY::nothing : OnY::stores;
  const int64_t threads = plan.get(key::kCtileThreads);
  return {.name = kKernelName,
          .function = "ctile",
          .plan = kPlanName,
          .args = "CtileArgs",
          .types = {},
          .blockThreads = threads,
          .arguments = argumentsOf(ctileFields(plan, problem, {})),
          .blocksPerSm = std::min<int64_t>(16, kThreadsPerSm / threads),
          .operands = operandsOf(plan, problem, onY),
          .onY = onY};
}

static Kernel sumsKernel(const Plan &plan, const Problem &problem) {
  return {.name = kSumsName,
          .function = "ctileSums",
          .plan = kSumsPlanName,
          .args = "CtileSumsArgs",
          .types = {},
          .blockThreads = kSumsThreads,
          .arguments = argumentsOf(ctileSumsFields(plan, problem, {})),
          .operands = operandsOf(plan, problem)};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  std::vector<PlanConstant> constants = {
      {kPlanName,
       "CtilePlan",
       {{"blockThreads", plan.get(key::kCtileThreads)},
        {"columns", plan.get(key::kCtileColumns)},
        {"readsY", problem.betaCanBeNonZero && !ctileHasSums(plan)}}}};
  std::vector<Kernel> kernels = {kernelOf(plan, problem)};
  if (ctileHasSums(plan)) {
    constants.push_back({kSumsPlanName,
                         "CtileSumsPlan",
                         {{"blockThreads", kSumsThreads}, {"readsY", problem.betaCanBeNonZero}}});
    kernels.push_back(sumsKernel(plan, problem));
  }
  return emit(plan, problem, {"ctile.cuh"}, constants, kernels);
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Kernel kernel = kernelOf(plan, problem);
  kernel.sharedBytes = ctileWindowBytes(layout.integer(kCtileColumnsNumber), vectorTypeOf(problem));
  Steps out = launchOnly(kernel, layout.find("arrivals")->count());
  if (out.empty() || !ctileHasSums(plan))
    return out;
  out.push_back(launchOf(sumsKernel(plan, problem), ceilDiv(layout.integer("rows"), kSumsThreads)));
  return out;
}

// How many columns a tile has and how many blocks there are follows from the matrix and the GPU.
static Plan general(const Plan &plan) {
  return plan.with(key::kCtileColumns, kAsArgument).with(key::kCtileBlocks, kAsArgument);
}

// A matrix of several tiles has one block on an SM.
constexpr PlanPattern kStandard[] = {
    {"ctile ctile.columns=-1 ctile.threads={256,512,1024} ctile.blocks=-1 sums=0"},
    {"ctile ctile.columns=-1 ctile.threads=1024 ctile.blocks=-1 sums=1"}};

static std::string gist(const Plan &plan) {
  return llvm::formatv("x comes from shared memory in tiles of {0} columns, which take 16 bits",
                       plan.get(key::kCtileColumns));
}

const Format kCtile{.name = "ctile",
                    .parameters = kParameters,
                    .offer = offer,
                    .traffic = traffic,
                    .pack = ctileLayout,
                    .source = source,
                    .steps = steps,
                    .gist = gist,
                    .general = general,
                    .isWorthCompiling = false,
                    .rates = kRates,
                    .paces = kPaces,
                    .standard = kStandard,
                    .packing = &kCtilePacking};

} // namespace specmv
