// SELL with columns in bytes on the host (templates/sell_bytes.cuh): the plans, their traffic,
// source and launches. layout.cpp packs.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/sell_bytes/layout.h"
#include "generator/formats/sell_bytes/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/padded.h"
#include "generator/shared/walk.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// The windows for which the profile has counted lines.
constexpr int64_t kWindows[] = {1, 1024};
// An SM holds as many threads as it can, each with 32 registers: more resident warps hide more
// latency than more loads of each warp (H100: two fours at once took 1.05 to 1.2 times as long).
// Kernels of fused steps leave half of the threads.
constexpr int64_t kFusedThreads = 1024;
// Blocks of 128 threads took 0.98 of the time of blocks of 256 (H100).
constexpr int64_t kBlock = 128;
// A kernel for offsets of one byte would spare few instructions, and only matrices with at most 255
// columns could use it.
constexpr int64_t kLeastWidest = 2;

constexpr Rate kSorted{"sell-bytes.sorted", "counted share of the sectors of x that sorting adds",
                       0.42};
// Products that wait for their longest rows take 1.4 to 1.5 times as long in f64 as in f32 (within
// L2 on an H100).
constexpr Rate kPassF64{"sell-bytes.passF64", "time of a row's pass in f64, in times of one in f32",
                        1.5};
constexpr Rate kRates[] = {kSorted, kPassF64};
constexpr PaceRates kPace("sell-bytes");
constexpr const PaceRates *kPaces[] = {&kPace};
constexpr PlanPattern kStandard[] = {
    {"sell-bytes bytes.sigma={1,1024} bytes.widest={2..4} block=128"}};

constexpr Parameter kParameters[] = {
    {.name = key::kBytesSigma.name,
     .least = 1,
     .most = 65536,
     .isPowerOfTwo = true,
     .isSettable = true,
     .tried = {1, 64, 1024}},
    {.name = key::kBytesWidest.name, .least = 1, .most = kMostOffsetBytes},
    kBlockParameter};

// The lines of all slices. If nobody counted this window, those of the next smaller one, which are
// at least as many.
static int64_t linesAtMost(const SparsityProfile &p, int64_t sigma) {
  int64_t out = 0;
  for (const SliceCount &count : p.slices)
    if (count.slice == kLineRows && count.window <= sigma)
      out = count.padded / kLineRows;
  return out;
}

// The sizes of the arrays, by the sample of lines.
static BytesCounts countsOf(const SparsityProfile &p, const Plan &plan) {
  const int64_t sigma = plan.get(key::kBytesSigma);
  BytesCounts n{.rows = p.rows, .lines = linesAtMost(p, sigma)};
  LineCount found{};
  for (const LineCount &count : p.lines)
    if (count.window <= sigma)
      found = count;
  if (found.lines == 0) { // all sampled rows are empty: no offset is taken to be narrow
    n.fours = std::min(n.lines, n.lines / kLinesTogether + ceilDiv(p.rows, int64_t{kLineRows}));
    n.words = n.fours * plan.get(key::kBytesWidest);
    return n;
  }
  const double scale = static_cast<double>(n.lines) / static_cast<double>(found.lines);
  double fours = 0, words = 0;
  for (size_t i = 0; i < found.fours.size(); ++i) {
    fours += scale * static_cast<double>(found.fours[i]);
    words += scale * static_cast<double>(found.fours[i]) * static_cast<double>(i + 1);
  }
  n.fours = static_cast<int64_t>(fours);
  n.words = static_cast<int64_t>(words);
  return n;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  const BytesCounts n = countsOf(p, plan);
  const int64_t slices = ceilDiv(p.rows, int64_t{kLineRows});
  const int64_t sigma = plan.get(key::kBytesSigma);
  Traffic t;
  t.storedBytes = storedBytesOf(bytesFields(plan, in.problem, n));
  t.slots = n.lines * kLineRows;
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = slices * kLineRows;
  t.dependentLoads = 1; // the head of the slice
  if (p.rows == 0)
    return t;
  t.steps = t.threads * paddedPasses(ceilDiv(n.lines, slices), rates[kPassesPerBatch]);
  t.longestChain = paddedPasses(longestRow(p), rates[kPassesPerBatch]);
  t.longRows = longRowsOf(in, 1, static_cast<double>(t.steps) / static_cast<double>(t.threads));
  if (vectorTypeOf(in.problem) == ValueType::f64)
    for (double &passes : t.longRows->passes)
      passes *= rates[kPassF64];
  addWalk(t, in,
          {.pace = kPace,
           .sortedRows = static_cast<double>(sigma),
           .moreSectors = sortedSectors(in, sigma, rates[kSorted])});
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::string why =
      whyNoBytes({p.rows, p.cols, p.nnz}, longestRow(p), fixedOr(in.fixed, key::kBytesSigma, 1));
  if (!why.empty())
    return why;
  int64_t before = -1;
  for (int64_t window : kWindows) {
    const int64_t sigma = fixedOr(in.fixed, key::kBytesSigma, window);
    const int64_t lines = linesAtMost(p, sigma);
    if (before >= 0 && lines >= before)
      continue; // a wider window is useful only if it saves padding
    if (why = whyTooManyLines(lines, p.nnz); !why.empty())
      continue;
    Plan plan{.format = "sell-bytes",
              .integers = {{key::kBytesSigma, sigma},
                           {key::kBytesWidest, std::max(kLeastWidest, bytesWidestOf(p.cols))},
                           {key::kBlock, kBlock}}};
    addIndexTypes(plan, p.rows, p.cols, lines * kLineRows);
    out.push_back(std::move(plan));
    before = lines;
  }
  return out.empty() ? why : "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  Kernel kernel =
      mainKernel("sellBytes", "SellBytesArgs", plan, problem, bytesFields(plan, problem, {}));
  // The statements of a fused step need more registers.
  kernel.blocksPerSm = problem.fusion ? kFusedThreads / plan.get(key::kBlock) : kFullSm;
  return kernel;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "SellBytesPlan",
                              {{"blockThreads", plan.get(key::kBlock)},
                               {"sigma", plan.get(key::kBytesSigma)},
                               {"widest", plan.get(key::kBytesWidest)},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"sell_bytes.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  return launchOnly(kernelOf(plan, problem),
                    ceilDiv(layout.integer("rows"), plan.get(key::kBlock)));
}

static std::string gist(const Plan & /*plan*/) {
  return "columns take 1 to 4 bytes, as offsets in slices of 32 rows";
}

constexpr IntegerKey kVaried[] = {key::kBytesSigma};
const Format kSellBytes{.name = "sell-bytes",
                        .parameters = kParameters,
                        .offer = offer,
                        .traffic = traffic,
                        .pack = bytesLayout,
                        .source = source,
                        .steps = steps,
                        .gist = gist,
                        .rates = kRates,
                        .paces = kPaces,
                        .shortlist = {2, kVaried},
                        .standard = kStandard,
                        .fuses = Fuses::rowsAndX,
                        .packing = &kBytesPacking};

} // namespace specmv
