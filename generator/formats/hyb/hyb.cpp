// HYB on the host: the first K entries of each row in ELL, the rest in COO (Bell and Garland). K is
// one of hybThresholds(), or fixed.
#include "generator/formats.h"
#include "generator/formats/hyb/layout.h"
#include "generator/formats/hyb/packing.h"
#include "generator/shared/ell_part.h"
#include "generator/shared/hyb_thresholds.h"
#include "generator/shared/walk.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static Plan planFor(const PlanRequest &in, int64_t k, int64_t tail) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "hyb",
            .integers = {{key::kHybK, k}, {key::kBlock, kBlockThreads}, {key::kHybTail, tail > 0}}};
  addIndexTypes(plan, p.rows, p.cols, k * ellStride(p.rows) + tail);
  return plan;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const int64_t k = plan.get(key::kHybK), tail = tailEntries(in.profile, k);
  Traffic t = ellTraffic(in, plan, k, in.profile.nnz - tail);
  if (tail > 0)
    addCooTraffic(t, in, plan, k, tail);
  addWalk(t, in,
          {.pace = kHybPace,
           .sharedBytesPerSm = sharedBytesOfTriplets(vectorTypeOf(in.problem)),
           .scattersY = true});
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::string why;
  for (int64_t k : hybThresholds(in)) {
    const int64_t tail = tailEntries(p, k);
    // A K without a tail is offered only if it is fixed.
    if (tail == 0 && !isFixed(in.fixed, key::kHybK))
      why = whyAllEll("hyb", k);
    else if (why = whyNotEll("hyb", p, k); why.empty())
      out.push_back(planFor(in, k, tail));
  }
  return out.empty() ? why : "";
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant ell = ellConstant(plan, problem, plan.get(key::kHybK));
  if (!plan.get(key::kHybTail))
    return emit(plan, problem, {"ell.cuh"}, {ell}, {ellKernel(plan, problem)});
  return emit(plan, problem, {"ell.cuh", "coo.cuh"}, {ell, cooConstant(plan)},
              {ellKernel(plan, problem), cooKernel(plan, problem, kTailColumns)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Steps out;
  addEllLaunch(out, plan, problem, layout);
  if (plan.get(key::kHybTail))
    addCooLaunch(out, plan, problem, layout, kTailColumns);
  return out;
}

static std::string gist(const Plan &plan) {
  return llvm::formatv("the first {0} entries of each row have a place that follows from the row's "
                       "number, the rest are not padded",
                       plan.get(key::kHybK));
}

static Plan general(const Plan &plan) { return withWidthAsArgument(plan, key::kHybK); }

constexpr Parameter kParameters[] = {
    kThresholdParameter, {.name = key::kHybTail.name, .least = 0, .most = 1}, kBlockParameter};
constexpr const PaceRates *kPaces[] = {&kHybPace};
// The general kernels serve every threshold.
constexpr PlanPattern kStandard[] = {{"hyb hyb.k=-1 block=256 tail=1"}};
const Format kHyb{.name = "hyb",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = hybLayout,
                  .source = source,
                  .steps = steps,
                  .gist = gist,
                  .general = general,
                  .isWorthCompiling = false,
                  .paces = kPaces,
                  .standard = kStandard,
                  .packing = &kHybPacking};

} // namespace specmv
