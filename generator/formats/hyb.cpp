// HYB on the host: the first K entries of each row in ELL, the rest in COO (Bell and Garland). K is
// one of hybThresholds(), or fixed.
#include "generator/formats.h"
#include "generator/shared/ell_part.h"
#include "generator/shared/hyb_thresholds.h"
#include "generator/shared/triplets.h"
#include "models/base/error.h"

namespace specmv {

// The columns of the tail, beside "col" of the ELL part.
constexpr const char *kTailColumns = "tailCol";

static Plan planFor(const PlanRequest &in, int64_t k, int64_t tail) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "hyb",
            .integers = {{"hyb.k", k}, {"block", kBlockThreads}, {"tail", tail > 0}}};
  addIndexTypes(plan, p.rows, p.cols, k * ellStride(p.rows) + tail);
  return plan;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const int64_t k = plan.get("hyb.k"), tail = tailEntries(in.profile, k);
  Traffic t = ellTraffic(in, plan, k, in.profile.nnz - tail);
  if (tail > 0)
    addCooTraffic(t, in, plan, k, tail);
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::string why;
  for (int64_t k : hybThresholds(in)) {
    const int64_t tail = tailEntries(p, k);
    // A K without a tail is offered only if it is fixed.
    if (tail == 0 && !isFixed(in.fixed, "hyb.k"))
      why = whyAllEll("hyb", k);
    else if (why = whyNotEll("hyb", p, k); why.empty())
      out.push_back(planFor(in, k, tail));
  }
  return out.empty() ? why : "";
}

static Fields fieldsOf(const Plan &plan, const Problem &problem, int64_t rows,
                       const Triplets &tail) {
  const Fields ell = ellFields(plan, problem, rows, plan.get("hyb.k"));
  return tail.count > 0 ? joined({ell, tripletFields(plan, problem, tail)}) : ell;
}

static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  const int64_t k = plan.get("hyb.k"), tail = tailEntries(a, k);
  const int64_t ellPart = ellSlots(a.rows, k);
  if ((tail > 0) != (plan.get("tail") != 0))
    return fail(Status::notApplicable,
                "the plan's tail = {0} does not fit the matrix, which has {1} entries beyond the "
                "first hyb.k = {2} of their rows",
                plan.get("tail"), tail, k);
  if (ellPart + tail > kMaxSlots)
    return fail(Status::notApplicable, "hyb needs {0} slots for this matrix; the limit is {1}",
                ellPart + tail, kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, ellPart + tail))
    return error;

  const Triplets triplets{tail, ellPart, kTailColumns};
  Layout out;
  addFields(out, fieldsOf(plan, problem, a.rows, triplets));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packEll(a, k, *out.find("col"), out.slots);
  if (tail > 0)
    packTriplets(a, plan, k, triplets, out);
  storeValues(out, a);
  return out;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant ell = ellConstant(plan, problem, plan.get("hyb.k"));
  if (!plan.get("tail"))
    return emit(plan, problem, {"ell.cuh"}, {ell}, {ellKernel(plan, problem)});
  return emit(plan, problem, {"ell.cuh", "coo.cuh"}, {ell, cooConstant(plan)},
              {ellKernel(plan, problem), cooKernel(plan, problem, kTailColumns)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Steps out;
  addEllLaunch(out, plan, problem, layout);
  if (plan.get("tail"))
    addCooLaunch(out, plan, problem, layout, kTailColumns);
  return out;
}

constexpr Parameter kParameters[] = {
    kThresholdParameter, {.name = "tail", .least = 0, .most = 1}, kBlockParameter};
const Format kHyb{.name = "hyb",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = pack,
                  .source = source,
                  .steps = steps};

} // namespace specmv
