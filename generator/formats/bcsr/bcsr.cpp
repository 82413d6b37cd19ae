// BCSR on the host: its source and launches; plans.cpp plans, layout.cpp packs.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/bcsr/layout.h"

namespace specmv {

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type), local = bcsrLocalType(plan);
  const ElementType mask = bcsrMaskType(plan.get("bcsr.r"), plan.get("bcsr.c"));
  const auto [offset, column] = indexTypesOf(plan);
  Kernel kernel{.name = kKernelName,
                .function = "bcsr",
                .plan = kPlanName,
                .args = "BcsrArgs",
                .types = {value, offset, column, local, mask},
                .blockThreads = plan.get("block"),
                .arguments = {{"sliceStart", Binding::array, offset},
                              {"blocks", Binding::array, column},
                              {"col", Binding::array, local}}};
  if (!plan.get("full"))
    kernel.arguments.push_back({"mask", Binding::array, mask});
  kernel.arguments.insert(kernel.arguments.end(), {{"val", Binding::array, value},
                                                   {"x", Binding::x, value},
                                                   {"y", Binding::y, value},
                                                   {"alpha", Binding::alpha, value},
                                                   {"beta", Binding::beta, value},
                                                   {"rows", Binding::integer, offset}});
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
  return emit(plan, problem, {"bcsr.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t blockRows = ceilDiv(layout.integer("rows"), plan.get("bcsr.r"));
  const int64_t blocks = ceilDiv(blockRows, plan.get("block") / plan.get("bcsr.lanes"));
  return blocks == 0 ? Steps{} : Steps{launchOf(kernelOf(plan, problem), blocks)};
}

static constexpr FormatParameter kParameters[] = {{"bcsr.r"}, {"bcsr.c"}, {"bcsr.lanes"}};

const Format kBcsr{"bcsr", kParameters, bcsrPlans, bcsrLayout, source, steps};

} // namespace specmv
