// SELL-C-sigma on the host (Kreutzer et al. 2014): the slices of C rows, sort windows of sigma rows
// and lanes a row that it offers; layout.cpp packs.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/sell/layout.h"
#include "generator/shared/gathers.h"
#include "generator/shared/padded.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// What is offered where nothing is fixed: slices up to a warp, beyond which padding only grows, and
// windows that the profile counts the padding of.
constexpr int64_t kSlices[] = {2, 4, 8, 16, 32};
constexpr int64_t kWindows[] = {1, 1024, 16384};

// Share of ELL's rate where nothing else holds SELL up: a slice's start is waited for before its
// first entry, and its loop is not unrolled.
constexpr const char *kEfficiency = "sell.efficiency";
constexpr const char *kRates[] = {kEfficiency};

// The slots next to each other that a slice's lanes read at once fill a 32-byte sector of columns;
// of narrow slices, which begin anywhere in a sector, they fill a warp's whole load.
static bool isCoalesced(const SellShape &shape) {
  const int64_t group = shape.slice * shape.lanes;
  return group == 32 || (group >= 8 && shape.slice >= 8 && group <= 32);
}

// The profile's count for this slice and window. Between its windows that of a smaller one is a
// bound, since to sort more rows never pads more; so are its widest slices, doubled, for wider
// ones.
static int64_t slotsAtMost(const SparsityProfile &p, const SellShape &shape) {
  SliceCount found{1, 0, 0};
  for (const SliceCount &count : p.slices)
    if (count.slice <= shape.slice && count.window <= shape.sigma &&
        std::pair(count.slice, count.window) > std::pair(found.slice, found.window))
      found = count;
  return found.padded * (shape.slice / found.slice);
}

static SellCounts countsOf(const SparsityProfile &p, const SellShape &shape) {
  return {p.rows, ceilDiv(p.rows, shape.slice), slotsAtMost(p, shape)};
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const SellShape shape = sellShapeOf(plan);
  const SellCounts counts = countsOf(p, shape);
  const double perBatch = in.gpu.rates[kPassesPerBatch];
  Traffic t;
  t.storedBytes = storedBytesOf(sellFields(plan, in.problem, counts));
  t.streamBytes = t.storedBytes + p.rows * static_cast<int64_t>(sizeOf(in.problem.type));
  t.gatherBytes = gatherBytes(in) + sortedGatherBytes(p, shape.sigma);
  t.threads = counts.slices * shape.slice * shape.lanes;
  t.dependentLoads = 1; // the begin of the slice; the row is needed only for y
  t.steps =
      t.threads * paddedPasses(ceilDiv(counts.slots, std::max<int64_t>(1, t.threads)), perBatch);
  t.longestChain = paddedPasses(ceilDiv(longestRow(p), shape.lanes), perBatch);
  t.efficiency = in.gpu.rates[kEfficiency];
  return t;
}

// Blocks that an SM shall hold, 0 for as many as it can: left alone, the compiler keeps to the 32
// registers of a full SM, which in double hold 3 of a batch's 8 entries at a time (read from the
// machine code for sm_90). Where all blocks are resident with more registers, threads get them, up
// to the 64 of half a full SM.
static int64_t blocksPerSm(const PlanRequest &in, const SellShape &shape) {
  const int64_t full = in.gpu.threadsPerSm / kBlockThreads;
  const int64_t wanted = ceilDiv(in.profile.rows * shape.lanes, in.gpu.sms * kBlockThreads);
  return wanted < full - 1 ? std::max(full / 2, wanted) : 0;
}

static Plan planFor(const PlanRequest &in, const SellShape &shape, int64_t slots) {
  Plan plan{.format = "sell",
            .integers = {{"sell.slice", shape.slice},
                         {"sell.sigma", shape.sigma},
                         {"sell.lanes", shape.lanes},
                         {"block", kBlockThreads},
                         {"blocksPerSm", blocksPerSm(in, shape)}}};
  addIndexTypes(plan, in.profile.rows, in.profile.cols, slots);
  return plan;
}

static std::string whyNotShape(const Fixed &fixed) {
  return whyNoSell({fixedOr(fixed, "sell.slice", 2), fixedOr(fixed, "sell.sigma", 1),
                    fixedOr(fixed, "sell.lanes", 1)});
}

// The shapes that agree with what is fixed, windows of the same slice and lanes in a row.
static std::vector<SellShape> shapesOf(const Fixed &fixed) {
  std::vector<SellShape> out;
  auto values = [&](const char *name, llvm::ArrayRef<int64_t> usual) {
    return isFixed(fixed, name) ? std::vector<int64_t>{fixedOr(fixed, name, 0)} : usual.vec();
  };
  const bool isFree = !isFixed(fixed, "sell.slice") && !isFixed(fixed, "sell.lanes");
  for (int64_t slice : values("sell.slice", kSlices))
    for (int64_t lanes : values("sell.lanes", {1, 2, 4, 8, 16}))
      for (int64_t sigma : values("sell.sigma", kWindows))
        if (const SellShape shape{slice, sigma, lanes};
            whyNoSell(shape).empty() && (!isFree || isCoalesced(shape)))
          out.push_back(shape);
  return out;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  if (std::string why = whyNotShape(in.fixed); !why.empty())
    return why;
  std::string why;
  SellShape before{};
  int64_t slotsBefore = 0;
  for (const SellShape &shape : shapesOf(in.fixed)) {
    const int64_t slots = slotsAtMost(in.profile, shape);
    const bool isWider = shape.slice == before.slice && shape.lanes == before.lanes;
    if (isWider && slots >= slotsBefore)
      continue; // a wider window pays by the padding that it spares alone
    if (why = whyTooManySlots(shape, slots, in.profile.nnz, longestRow(in.profile)); !why.empty())
      continue;
    out.push_back(planFor(in, shape, slots));
    before = shape;
    slotsBefore = slots;
  }
  return out.empty() ? why : "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return {.name = kKernelName,
          .function = "sell",
          .plan = kPlanName,
          .args = "SellArgs",
          .types = {value, offset, column},
          .blockThreads = plan.get("block"),
          .arguments = argumentsOf(sellFields(plan, problem, {})),
          .blocksPerSm = plan.get("blocksPerSm")};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "SellPlan",
                              {{"blockThreads", plan.get("block")},
                               {"slice", plan.get("sell.slice")},
                               {"sigma", plan.get("sell.sigma")},
                               {"lanesPerRow", plan.get("sell.lanes")},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"sell.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get("block") / plan.get("sell.lanes");
  const int64_t blocks = ceilDiv(layout.integer("rows"), rowsPerBlock);
  return blocks == 0 ? Steps{} : Steps{launchOf(kernelOf(plan, problem), blocks)};
}

// Each plan of the shortlist has a window or a number of lanes that no faster one has.
constexpr const char *kVaried[] = {"sell.sigma", "sell.lanes"};
const Format kSell{.name = "sell",
                   .parameters = kSellParameters,
                   .offer = offer,
                   .traffic = traffic,
                   .pack = sellLayout,
                   .source = source,
                   .steps = steps,
                   .rates = kRates,
                   .shortlist = {4, kVaried}};

} // namespace specmv
