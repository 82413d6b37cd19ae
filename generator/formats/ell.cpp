// ELL on the host: every row is padded to the longest one, whose length K is a constant of the
// kernel.
#include "generator/formats.h"
#include "generator/shared/ell_part.h"
#include "generator/shared/gathers.h"
#include "models/base/error.h"

namespace specmv {

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t longest = longestRow(in.profile);
  const int64_t width = fixedOr(in.fixed, "ell.width", longest);
  if (width < longest)
    return llvm::formatv(
        "ell.width = {0} is less than the longest row, which has {1} entries; set ell.width = {1}",
        width, longest);
  if (std::string why = whyNotEll("ell", in.profile, width); !why.empty())
    return why;
  Plan plan{.format = "ell", .integers = {{"ell.width", width}, {"block", kBlockThreads}}};
  addIndexTypes(plan, in.profile.rows, in.profile.cols, width * ellStride(in.profile.rows));
  out.push_back(std::move(plan));
  return "";
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  return ellTraffic(in, plan, plan.get("ell.width"), in.profile.nnz);
}

static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  const int64_t width = plan.get("ell.width"), longest = longestRow(a);
  if (longest > width)
    return fail(Status::notApplicable,
                "the plan's ell.width = {0} is less than the longest row of the matrix, which has "
                "{1} entries",
                width, longest);
  const int64_t slots = ellSlots(a.rows, width);
  if (slots > kMaxSlots)
    return fail(Status::notApplicable, "ell of width {0} needs {0} x {1} slots; the limit is {2}",
                width, ellStride(a.rows), kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, slots))
    return error;
  Layout out;
  addFields(out, ellFields(plan, problem, a.rows, width));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packEll(a, width, *out.find("col"), out.slots);
  storeValues(out, a);
  return out;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  return emit(plan, problem, {"ell.cuh"}, {ellConstant(plan, problem, plan.get("ell.width"))},
              {ellKernel(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Steps out;
  addEllLaunch(out, plan, problem, layout);
  return out;
}

// Tests need to try no width: only the longest row's is of use, and that one is offered.
constexpr Parameter kParameters[] = {
    {.name = "ell.width", .least = 0, .most = kMaxSlots, .isSettable = true}, kBlockParameter};
const Format kEll{.name = "ell",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = pack,
                  .source = source,
                  .steps = steps};

} // namespace specmv
