// SELL-C-sigma on the host (Kreutzer et al. 2014): the slices of C rows, sort windows of sigma rows
// and lanes a row that it offers; layout.cpp packs.
#include "generator/emit.h"
#include "generator/fixed_numbers.h"
#include "generator/formats.h"
#include "generator/formats/sell/layout.h"
#include "generator/shared/gathers.h"
#include "generator/shared/padded.h"
#include "models/predict/traffic.h"

#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace specmv {

// What is offered where nothing is fixed: slices up to a warp, beyond which padding only grows, and
// windows that the profile counts the padding of.
constexpr int64_t kSlices[] = {2, 4, 8, 16, 32};
constexpr int64_t kWindows[] = {1, 1024, 16384};
constexpr size_t kMaxOffered = 4;

// Share of ELL's rate where nothing else holds SELL up, an estimate: a slice's start is waited for
// before its first entry, and its loop is not unrolled. cuSPARSE's sliced ELL reached 0.92 to 0.99
// of our ELL on rows of 27 and 81 entries, which neither pads (measured on an H200).
constexpr double kEfficiency = 0.97;

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

static Traffic trafficOf(const PlanRequest &in, const Plan &plan, const SellShape &shape,
                         int64_t slots) {
  const SparsityProfile &p = in.profile;
  const IndexTypes index = indexTypesOf(plan);
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const int64_t slices = ceilDiv(p.rows, shape.slice);
  Traffic t;
  t.storedBytes = slots * (v + static_cast<int64_t>(sizeOf(index.column))) +
                  (slices + 1) * static_cast<int64_t>(sizeOf(index.offset));
  if (shape.sigma > 1)
    t.storedBytes += p.rows * static_cast<int64_t>(sizeOf(kSellPermType));
  t.streamBytes = t.storedBytes + p.rows * v;
  t.gatherBytes = gatherBytes(p, in.problem.type) + sortedGatherBytes(p, shape.sigma);
  t.threads = slices * shape.slice * shape.lanes;
  t.heads = 1; // the begin of the slice; the row is needed only for y
  t.steps = t.threads * paddedPasses(ceilDiv(slots, std::max<int64_t>(1, t.threads)));
  t.longestChain = paddedPasses(ceilDiv(longestRow(p), shape.lanes));
  t.efficiency = kEfficiency;
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
  plan.traffic = trafficOf(in, plan, shape, slots);
  return plan;
}

static std::string whyNotShape(const Fixed &fixed) {
  if (std::string why = whyNotFixed(fixed, kSellNumbers); !why.empty())
    return why;
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

// The plans that are predicted to be the fastest, each with a window or a number of lanes that no
// faster one has.
static void addFastest(std::vector<Plan> plans, const GpuModel &gpu, std::vector<Plan> &out) {
  std::stable_sort(plans.begin(), plans.end(), [&](const Plan &a, const Plan &b) {
    return predictUs(a.traffic, gpu) < predictUs(b.traffic, gpu);
  });
  std::set<int64_t> windows, lanes;
  const size_t most = out.size() + kMaxOffered;
  for (Plan &plan : plans) {
    const bool newWindow = windows.insert(plan.get("sell.sigma")).second;
    const bool newLanes = lanes.insert(plan.get("sell.lanes")).second;
    if ((newWindow || newLanes) && out.size() < most)
      out.push_back(std::move(plan));
  }
}

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  if (std::string why = whyNotShape(in.fixed); !why.empty())
    return why;
  std::string why;
  std::vector<Plan> fitting;
  SellShape before{};
  int64_t slotsBefore = 0;
  for (const SellShape &shape : shapesOf(in.fixed)) {
    const int64_t slots = slotsAtMost(in.profile, shape);
    const bool isWider = shape.slice == before.slice && shape.lanes == before.lanes;
    if (isWider && slots >= slotsBefore)
      continue; // a wider window pays by the padding that it spares alone
    if (why = whyTooManySlots(shape, slots, in.profile.nnz, longestRow(in.profile)); !why.empty())
      continue;
    fitting.push_back(planFor(in, shape, slots));
    before = shape;
    slotsBefore = slots;
  }
  addFastest(std::move(fitting), in.gpu, out);
  return out.empty() ? why : "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  Kernel kernel{.name = kKernelName,
                .function = "sell",
                .plan = kPlanName,
                .args = "SellArgs",
                .types = {value, offset, column},
                .blockThreads = plan.get("block"),
                .arguments = {{"sliceStart", Binding::array, offset},
                              {"col", Binding::array, column},
                              {"val", Binding::array, value},
                              {"x", Binding::x, value},
                              {"y", Binding::y, value},
                              {"alpha", Binding::alpha, value},
                              {"beta", Binding::beta, value},
                              {"rows", Binding::integer, offset}},
                .blocksPerSm = plan.get("blocksPerSm")};
  if (plan.get("sell.sigma") > 1)
    kernel.arguments.push_back({"perm", Binding::array, kSellPermType});
  return kernel;
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

static constexpr FormatParameter kParameters[] = {{"sell.slice"}, {"sell.sigma"}, {"sell.lanes"}};
const Format kSell{"sell", kParameters, plans, sellLayout, source, steps};

} // namespace specmv
