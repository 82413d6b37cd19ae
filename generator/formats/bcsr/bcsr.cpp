// BCSR on the host: its source and launches. plans.cpp offers plans, layout.cpp packs.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/bcsr/layout.h"
#include "generator/formats/bcsr/packing.h"
#include "generator/shared/several.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  Kernel kernel = mainKernel("bcsr", "BcsrArgs", plan, problem, bcsrFields(plan, problem, {}));
  kernel.types.push_back(bcsrLocalType(plan));
  kernel.types.push_back(bcsrMaskType(plan.get(key::kBcsrR), plan.get(key::kBcsrC)));
  return kernel;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "BcsrPlan",
                              {{"blockThreads", plan.get(key::kBlock)},
                               {"r", plan.get(key::kBcsrR)},
                               {"c", plan.get(key::kBcsrC)},
                               {"lanes", plan.get(key::kBcsrLanes)},
                               {"full", plan.get(key::kBcsrFull)},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"bcsr.cuh"}, {constant},
              kernelsFor(kernelOf(plan, problem), problem));
}

// The blocks of threads if a team of threads works where one does for one vector.
static int64_t blocksOf(const Plan &plan, const Layout &layout, int64_t team) {
  const int64_t blockRows = ceilDiv(layout.integer("rows"), plan.get(key::kBcsrR));
  return ceilDiv(blockRows, (plan.get(key::kBlock) / team) >> layout.integer(kBcsrLaneBits));
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  return launchOnly(kernelOf(plan, problem), blocksOf(plan, layout, 1));
}

static std::string whyNotSeveral(const Plan &plan, const Problem &problem) {
  return whyNoTeams(problem, "bcsr.lanes", plan.get(key::kBcsrLanes));
}

static Steps stepsOfSeveral(const Plan &plan, const Problem &problem, const Layout &layout) {
  return severalSteps(kernelOf(plan, problem), problem, blocksOf(plan, layout, teamOf(problem)));
}

constexpr Several kSeveral{whyNotSeveral, stepsOfSeveral};

// One kernel serves every number of lanes.
static Plan general(const Plan &plan) { return plan.with(key::kBcsrLanes, kAsArgument); }

static std::string gist(const Plan &plan) {
  return llvm::formatv(
      "each {1} x {2} block has one column index of {0} bits, and the shape of blocks "
      "is a constant in the code",
      8 * sizeOf(bcsrLocalType(plan)), plan.get(key::kBcsrR), plan.get(key::kBcsrC));
}

constexpr Rate kRates[] = {kBcsrFlight[0], kBcsrFlight[1], kBcsrValuesPerPass,
                           kBcsrPieceNs,   kBcsrTableNs,   kBcsrTableSpreadNs};
constexpr const PaceRates *kPaces[] = {&kBcsrPace};
// The shapes that are offered (plans.cpp).
constexpr PlanPattern kStandard[] = {
    {"bcsr bcsr.r=1 bcsr.c={2..5,7,8} bcsr.lanes=-1 full={0,1} local={0,1} block=256"},
    {"bcsr bcsr.r=2 bcsr.c={2,4,5} bcsr.lanes=-1 full={0,1} local={0,1} block=256"},
    {"bcsr bcsr.r=3 bcsr.c={3,6} bcsr.lanes=-1 full={0,1} local={0,1} block=256"},
    {"bcsr bcsr.r=4 bcsr.c=4 bcsr.lanes=-1 full={0,1} local={0,1} block=256"},
    {"bcsr bcsr.r=5 bcsr.c=5 bcsr.lanes=-1 full={0,1} local={0,1} block=256"},
    {"bcsr bcsr.r=7 bcsr.c=7 bcsr.lanes=-1 full={0,1} local={0,1} block=256"}};

const Format kBcsr{.name = "bcsr",
                   .parameters = kBcsrParameters,
                   .offer = bcsrOffer,
                   .traffic = bcsrTraffic,
                   .pack = bcsrLayout,
                   .source = source,
                   .steps = steps,
                   .gist = gist,
                   .general = general,
                   .rates = kRates,
                   .paces = kPaces,
                   .standard = kStandard,
                   .fuses = Fuses::rowsAndX,
                   .packing = &kBcsrPacking,
                   .several = &kSeveral};

} // namespace specmv
