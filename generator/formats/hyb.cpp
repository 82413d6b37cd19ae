// HYB on the host: the first K entries of each row in ELL, the rest in COO (Bell and Garland); K is
// the PMF paper's (Algorithm 2), or what moves the fewest bytes, or fixed.
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
  plan.traffic = ellTraffic(in, plan, k, p.nnz - tail);
  if (tail > 0)
    addCooTraffic(plan.traffic, in, plan, k, tail);
  return plan;
}

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::string why;
  for (int64_t k : hybThresholds(in)) {
    if (k < 0)
      return llvm::formatv("hyb.k = {0} is negative", k);
    const int64_t tail = tailEntries(p, k);
    // Who fixes such a K gets it.
    if (tail == 0 && !isFixed(in.fixed, "hyb.k"))
      why = whyAllEll("hyb", k);
    else if (why = whyNotEll("hyb", p, k); why.empty())
      out.push_back(planFor(in, k, tail));
  }
  return out.empty() ? why : "";
}

constexpr PlanNumber kNumbers[] = {{"hyb.k", 0, kMaxSlots}, {"tail", 0, 1}, kBlockNumber};

static llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkNumbers(plan, kNumbers))
    return error;
  const int64_t k = plan.get("hyb.k"), tail = tailEntries(a, k);
  const int64_t ellPart = ellSlots(a.rows, k);
  if ((tail > 0) != (plan.get("tail") != 0))
    return fail(Status::notApplicable,
                "plan has tail = {0}, the matrix has {1} entries beyond hyb.k "
                "= {2}",
                plan.get("tail"), tail, k);
  if (ellPart + tail > kMaxSlots)
    return fail(Status::notApplicable, "{0} slots exceed {1}", ellPart + tail, kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, ellPart + tail))
    return error;

  const auto [offset, column] = indexTypesOf(plan);
  const ElementType value = elementOf(problem.type);
  Layout out;
  out.add("col", column, ellPart);
  out.add("val", value, ellPart + tail);
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packEll(a, k, *out.find("col"), out.slots);
  out.integers = {{"rows", a.rows}, {"stride", ellStride(a.rows)}};
  if (tail > 0)
    packTriplets(a, plan, problem, k, tail, kTailColumns, ellPart, out);
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
  addCooLaunch(out, plan, problem, layout, kTailColumns);
  return out;
}

static constexpr FormatParameter kParameters[] = {{"hyb.k"}};
const Format kHyb{"hyb", kParameters, plans, layout, source, steps};

} // namespace specmv
