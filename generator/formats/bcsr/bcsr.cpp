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
  kernel.types.push_back(bcsrMaskType(plan.get("bcsr.r"), plan.get("bcsr.c")));
  return kernel;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "BcsrPlan",
                              {{"blockThreads", plan.get("block")},
                               {"r", plan.get("bcsr.r")},
                               {"c", plan.get("bcsr.c")},
                               {"lanes", plan.get("bcsr.lanes")},
                               {"full", plan.get("full")},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"bcsr.cuh"}, {constant},
              kernelsFor(kernelOf(plan, problem), problem));
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t blockRows = ceilDiv(layout.integer("rows"), plan.get("bcsr.r"));
  const int64_t blocks = ceilDiv(blockRows, plan.get("block") / plan.get("bcsr.lanes"));
  return launchOnly(kernelOf(plan, problem), blocks);
}

static std::string whyNotSeveral(const Plan &plan, const Problem &problem) {
  return whyNoTeams(problem, "bcsr.lanes", plan.get("bcsr.lanes"));
}

static Steps stepsOfSeveral(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t blockRows = ceilDiv(layout.integer("rows"), plan.get("bcsr.r"));
  const int64_t rowsPerBlock = plan.get("block") / (plan.get("bcsr.lanes") * teamOf(problem));
  return severalSteps(kernelOf(plan, problem), problem, ceilDiv(blockRows, rowsPerBlock));
}

constexpr Several kSeveral{whyNotSeveral, stepsOfSeveral};

static std::string gist(const Plan &plan) {
  return llvm::formatv("one column of {0} bits serves a block of {1} x {2}, whose shape is a "
                       "constant of its code",
                       8 * sizeOf(bcsrLocalType(plan)), plan.get("bcsr.r"), plan.get("bcsr.c"));
}

const Format kBcsr{.name = "bcsr",
                   .parameters = kBcsrParameters,
                   .offer = bcsrOffer,
                   .traffic = bcsrTraffic,
                   .pack = bcsrLayout,
                   .source = source,
                   .steps = steps,
                   .gist = gist,
                   .rates = kBcsrRates,
                   .packing = &kBcsrPacking,
                   .several = &kSeveral};

} // namespace specmv
