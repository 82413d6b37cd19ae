// COO on the host: triplets in the order of the rows (PMF paper section 4.2.1). A first kernel, ELL
// of no columns, stores beta y, since a row may have no triplet that would.
#include "generator/formats.h"
#include "generator/shared/ell_part.h"
#include "generator/shared/triplets.h"

namespace specmv {

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "coo", .integers = {{"block", kBlockThreads}}};
  addIndexTypes(plan, p.rows, p.cols, p.nnz);
  plan.traffic = ellTraffic(in, plan, 0, 0);
  addCooTraffic(plan.traffic, in, plan, 0, p.nnz);
  out.push_back(std::move(plan));
  return "";
}

constexpr PlanNumber kNumbers[] = {kBlockNumber};

static llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkNumbers(plan, kNumbers))
    return error;
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, a.nnz))
    return error;
  Layout out;
  out.integers = {{"rows", a.rows}, {"stride", ellStride(a.rows)}};
  out.add("val", elementOf(problem.type), a.nnz);
  packTriplets(a, plan, problem, 0, a.nnz, "col", 0, out);
  storeValues(out, a);
  return out;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  return emit(plan, problem, {"ell.cuh", "coo.cuh"},
              {ellConstant(plan, problem, 0), cooConstant(plan)},
              {ellKernel(plan, problem), cooKernel(plan, problem, "col")});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Steps out;
  addEllLaunch(out, plan, problem, layout);
  addCooLaunch(out, plan, problem, layout, "col");
  return out;
}

const Format kCoo{"coo", {}, plans, layout, source, steps};

} // namespace specmv
