// ELL on the host: every row is padded to the longest one, whose length K is a constant of the
// kernel.
#include "generator/formats.h"
#include "generator/formats/ell/layout.h"
#include "generator/formats/ell/packing.h"
#include "generator/formats/ell/part.h"
#include "generator/shared/gathers.h"
#include "generator/shared/walk.h"
#include "models/base/text.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr PaceRates kPace("ell");
constexpr const PaceRates *kPaces[] = {&kPace};
// A general kernel serves every width, with code of its own for each from 9 to 48, and one with
// fewer registers those to 16, with code for each from 9. With code for narrower ones too, a
// product of 7 took 1.11 times as long as by a kernel made for it. Widths of 3 to 24 take 0.94
// to 1.08 times as long (H200, replays within L2).
constexpr PlanPattern kStandard[] = {{"ell ell.width={-1,-2} block=256"}};

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t longest = longestRow(in.profile);
  const int64_t width = fixedOr(in.fixed, key::kEllWidth, longest);
  if (width < longest)
    return llvm::formatv(
        "ell.width = {0} is less than the longest row, which has {1} entries; set ell.width = {1}",
        width, longest);
  Plan plan{.format = "ell", .integers = {{key::kEllWidth, width}, {key::kBlock, kBlockThreads}}};
  const Leaves leaves = ellLeaves(plan, in.profile.rows, in.profile.nnz);
  // The longest row as a set width is meant, and lifts the limit of padding for a comparison.
  const bool isMeant =
      fixedOr(in.fixed, key::kEllWidth, -1) == longest && slotsOf(leaves) <= kMaxSlots;
  if (std::string why = whyNot(leaves, llvm::formatv("ell of width {0}", width), in.profile);
      !why.empty() && !isMeant)
    return why;
  addIndexTypes(plan, in.profile.rows, in.profile.cols, slotsOf(leaves));
  out.push_back(std::move(plan));
  return "";
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = trafficOf(ellLeaves(plan, in.profile.rows, in.profile.nnz), in, plan);
  addWalk(t, in, {.pace = kPace});
  return t;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  return sourceOf(ellLeaves(plan, 0, 0), plan, problem);
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  return stepsOf(ellLeaves(plan, 0, 0), plan, problem, layout);
}

static std::string gist(const Plan &plan) {
  return "each row has " +
         counted(static_cast<uint64_t>(plan.get(key::kEllWidth)), "place", "places") +
         ", so that no start of a row is read";
}

static Plan general(const Plan &plan) {
  const int64_t width = plan.get(key::kEllWidth);
  return width < 0
             ? plan
             : plan.with(key::kEllWidth, width <= kEllMostNarrow ? kAsNarrowArgument : kAsArgument);
}

// Tests need to try no width: only the longest row's is of use, and that one is offered.
constexpr Parameter kParameters[] = {
    {.name = key::kEllWidth.name, .least = 0, .most = kMaxSlots, .isSettable = true},
    kBlockParameter};
const Format kEll{.name = "ell",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = ellLayout,
                  .source = source,
                  .steps = steps,
                  .gist = gist,
                  .general = general,
                  .paces = kPaces,
                  .standard = kStandard,
                  .standardOfOthers = kStandard,
                  .fuses = Fuses::rowsAndX,
                  .packing = &kEllPacking};

} // namespace specmv
