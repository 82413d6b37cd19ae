// SELL-C-sigma on the host (Kreutzer et al. 2014): offers slices of C rows, windows of sigma rows
// to sort in, and lanes for a row. layout.cpp packs.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/sell/layout.h"
#include "generator/formats/sell/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/padded.h"
#include "generator/shared/several.h"
#include "generator/shared/walk.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// The numbers that are offered if none is fixed. Slices wider than a warp would only have more
// padding; for these windows the profile has counted the padding.
constexpr int64_t kSlices[] = {2, 4, 8, 16, 32};
constexpr int64_t kWindows[] = {1, 1024, 16384};

constexpr Rate kNarrow8{
    "sell.narrow8", "factor on the efficiency of slices whose lanes read at most 8 slots at a time",
    0.67};
constexpr Rate kNarrow16{
    "sell.narrow16", "factor on the efficiency of slices whose lanes read 9 to 16 slots at a time",
    0.92};
constexpr Rate kSorted{"sell.sorted", "counted share of the sectors of x that sorting adds", 0.42};
constexpr Rate kRates[] = {kNarrow8, kNarrow16, kSorted};
constexpr PaceRates kPace("sell");
constexpr const PaceRates *kPaces[] = {&kPace};
// Every coalesced shape.
constexpr PlanPattern kStandard[] = {
    {"sell sell.slice=2 sell.sigma={-1,1} sell.lanes=16 block=256 blocksPerSm={0,4,6}"},
    {"sell sell.slice=4 sell.sigma={-1,1} sell.lanes=8 block=256 blocksPerSm={0,4,6}"},
    {"sell sell.slice=8 sell.sigma={-1,1} sell.lanes={1,2,4} block=256 blocksPerSm={0,4,6}"},
    {"sell sell.slice=16 sell.sigma={-1,1} sell.lanes={1,2} block=256 blocksPerSm={0,4,6}"},
    {"sell sell.slice=32 sell.sigma={-1,1} sell.lanes=1 block=256 blocksPerSm={0,4,6}"}};
// Of 528 cases (88 matrices, two types, 2, 4 and 8 vectors), the best plan of these and csr-merge's
// is predicted more than twice as slow as the best of all in 17, where a set-up waits for the
// compiler, and 1.06, 1.08 and 1.15 times as slow in the mean of the others (H200).
constexpr PlanPattern kOfOthers[] = {
    {"sell sell.slice=2 sell.sigma={-1,1} sell.lanes=16 block=256 blocksPerSm={0,4}"},
    {"sell sell.slice=8 sell.sigma={-1,1} sell.lanes=2 block=256 blocksPerSm=4"},
    {"sell sell.slice=32 sell.sigma={-1,1} sell.lanes=1 block=256 blocksPerSm=0"}};

// Whether the slots that the lanes of a slice read at once fill whole sectors. For slices of 8 rows
// or more, 8 columns fill a sector of 32 bytes. Narrower slices can begin anywhere in a sector, so
// they need the load of a whole warp.
static bool isCoalesced(const SellShape &shape) {
  const int64_t group = shape.slice * shape.lanes;
  return group == 32 || (group >= 8 && shape.slice >= 8 && group <= 32);
}

// The profile's count of slots for this slice and window. A window that was not counted has at most
// the padding of the next smaller window. Slices that were not counted have at most the slots of
// the widest counted slices, multiplied by the ratio of the widths.
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
  t.slots = counts.slots;
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = counts.slices * shape.slice * shape.lanes;
  t.dependentLoads = 1; // the start of the slice; the row is needed only for y
  t.steps =
      t.threads * paddedPasses(ceilDiv(counts.slots, std::max<int64_t>(1, t.threads)), perBatch);
  t.longestChain = paddedPasses(ceilDiv(longestRow(p), shape.lanes), perBatch);
  if (p.rows == 0)
    return t;
  const Rates &rates = in.gpu.rates;
  const int64_t width = shape.slice * shape.lanes;
  t.pace.efficiency = width <= 8 ? rates[kNarrow8] : width <= 16 ? rates[kNarrow16] : 1;
  t.longRows =
      longRowsOf(in, shape.lanes, static_cast<double>(t.steps) / static_cast<double>(t.threads));
  const int64_t blockRows = kBlockThreads / shape.lanes;
  addWalk(t, in,
          {.pace = kPace,
           .blockRows = static_cast<double>(blockRows),
           .rowsAtOnce = 32 / static_cast<double>(shape.lanes),
           .sortedRows = static_cast<double>(shape.sigma),
           .moreSectors = sortedSectors(in, shape.sigma, rates[kSorted])});
  return t;
}

// The number of blocks that an SM must hold; 0 lets the compiler decide. It then uses at most the
// 32 registers of a full SM. With these, a kernel in double has 3 of a batch's 8 entries in flight
// (seen in the machine code for sm_90). If all blocks are resident even with more registers,
// threads get up to 64, with which an SM holds half of its threads.
static int64_t blocksPerSm(const PlanRequest &in, const SellShape &shape) {
  const int64_t full = in.gpu.threadsPerSm / kBlockThreads;
  const int64_t wanted = ceilDiv(in.profile.rows * shape.lanes, in.gpu.sms * kBlockThreads);
  if (wanted >= full - 1)
    return 0;
  return wanted <= full / 2 ? full / 2 : full - 2; // few numbers, so that few kernels serve all
}

static Plan planFor(const PlanRequest &in, const SellShape &shape, int64_t slots) {
  Plan plan{.format = "sell",
            .integers = {{key::kSellSlice, shape.slice},
                         {key::kSellSigma, shape.sigma},
                         {key::kSellLanes, shape.lanes},
                         {key::kBlock, kBlockThreads},
                         {key::kSellBlocksPerSm, blocksPerSm(in, shape)}}};
  addIndexTypes(plan, in.profile.rows, in.profile.cols, slots);
  return plan;
}

static std::string whyNotShape(const Fixed &fixed) {
  return whyNoSell({fixedOr(fixed, key::kSellSlice, 2), fixedOr(fixed, key::kSellSigma, 1),
                    fixedOr(fixed, key::kSellLanes, 1)});
}

// The shapes with the numbers that are fixed; windows of the same slice and lanes are adjacent and
// ascend.
static std::vector<SellShape> shapesOf(const Fixed &fixed) {
  std::vector<SellShape> out;
  auto values = [&](IntegerKey name, llvm::ArrayRef<int64_t> usual) {
    return isFixed(fixed, name) ? std::vector<int64_t>{fixedOr(fixed, name, 0)} : usual.vec();
  };
  const bool isFree = !isFixed(fixed, key::kSellSlice) && !isFixed(fixed, key::kSellLanes);
  for (int64_t slice : values(key::kSellSlice, kSlices))
    for (int64_t lanes : values(key::kSellLanes, {1, 2, 4, 8, 16}))
      for (int64_t sigma : values(key::kSellSigma, kWindows))
        if (const SellShape shape{slice, sigma, lanes};
            isSell(shape) && (!isFree || isCoalesced(shape)))
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
      continue; // a wider window is useful only if it saves padding
    if (why = whyTooManySlots(shape, slots, in.profile.nnz, longestRow(in.profile)); !why.empty())
      continue;
    out.push_back(planFor(in, shape, slots));
    before = shape;
    slotsBefore = slots;
  }
  return out.empty() ? why : "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  Kernel kernel = mainKernel("sell", "SellArgs", plan, problem, sellFields(plan, problem, {}));
  kernel.blocksPerSm = plan.get(key::kSellBlocksPerSm);
  return kernel;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "SellPlan",
                              {{"blockThreads", plan.get(key::kBlock)},
                               {"slice", plan.get(key::kSellSlice)},
                               {"sigma", plan.get(key::kSellSigma)},
                               {"lanesPerRow", plan.get(key::kSellLanes)},
                               {"readsY", problem.betaCanBeNonZero},
                               {"storesByFirst", problem.fusion && plan.get(key::kSellLanes) > 1}}};
  return emit(plan, problem, {"sell.cuh"}, {constant},
              kernelsFor(kernelOf(plan, problem), problem));
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get(key::kBlock) / plan.get(key::kSellLanes);
  const int64_t blocks = ceilDiv(layout.integer("rows"), rowsPerBlock);
  return launchOnly(kernelOf(plan, problem), blocks);
}

static std::string whyNotSeveral(const Plan &plan, const Problem &problem) {
  const SellShape shape = sellShapeOf(plan);
  const int64_t group = shape.slice * shape.lanes, teams = plan.get(key::kBlock) / teamOf(problem);
  if (group > teams)
    return llvm::formatv(
        "{0} vectors leave a block of {1} threads {2} teams, less than the {3} lanes "
        "of a slice; set sell.slice smaller",
        problem.vectors, plan.get(key::kBlock), teams, group);
  return shape.lanes == 1 ? "" : whyNoTeams(problem, "sell.slice x sell.lanes", group);
}

static Steps stepsOfSeveral(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock =
      plan.get(key::kBlock) / (plan.get(key::kSellLanes) * teamOf(problem));
  return severalSteps(kernelOf(plan, problem), problem,
                      ceilDiv(layout.integer("rows"), rowsPerBlock));
}

constexpr Several kSeveral{whyNotSeveral, stepsOfSeveral};

// One kernel serves all windows of sorted rows.
static Plan general(const Plan &plan) {
  return plan.get(key::kSellSigma) == 1 ? plan : plan.with(key::kSellSigma, kAsArgument);
}

static std::string gist(const Plan &plan) {
  return llvm::formatv("each slice of {0} rows is only as wide as its longest row",
                       plan.get(key::kSellSlice));
}

// Each plan of the shortlist has a window or a number of lanes that no faster plan has.
constexpr IntegerKey kVaried[] = {key::kSellSigma, key::kSellLanes};
const Format kSell{.name = "sell",
                   .parameters = kSellParameters,
                   .offer = offer,
                   .traffic = traffic,
                   .pack = sellLayout,
                   .source = source,
                   .steps = steps,
                   .gist = gist,
                   .general = general,
                   .isWorthCompiling = false,
                   .rates = kRates,
                   .paces = kPaces,
                   .shortlist = {4, kVaried},
                   .standard = kStandard,
                   .standardOfOthers = kOfOthers,
                   .fuses = Fuses::rowsAndX,
                   .packing = &kSellPacking,
                   .several = &kSeveral};

} // namespace specmv
