// HYB (Bell and Garland): the first K entries of each row in ELL, the rest in COO. K is one of
// hybThresholds(), or fixed.
#include "generator/formats.h"
#include "generator/formats/coo/part.h"
#include "generator/formats/ell/part.h"
#include "generator/shared/lengths.h"
#include "generator/shared/walk.h"
#include "generator/tree/split_by_position.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr SplitByPosition kSplit{"hyb",      kEllPart,      kTripletPart,
                                 key::kHybK, hybThresholds, key::kHybTail};
using Hyb = SplitFormat<kSplit>;

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  std::string why = Hyb::offer(in, out);
  addAtomic(in.fixed, out);
  return why;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = kSplit.traffic(in, plan);
  addWalk(t, in,
          {.pace = kHybPace,
           .sharedBytesPerSm = sharedBytesOfTriplets(vectorTypeOf(in.problem)),
           .scattersY = true});
  return t;
}

static std::string gist(const Plan &plan) {
  return llvm::formatv("the first {0} entries of each row have a place that follows from the row's "
                       "number, the rest are not padded",
                       plan.get(key::kHybK));
}

constexpr Parameter kParameters[] = {kThresholdParameter,
                                     {.name = key::kHybTail.name, .least = 0, .most = 1},
                                     kBlockParameter,
                                     kAtomicParameter};
constexpr const PaceRates *kPaces[] = {&kHybPace};
// The general kernels serve every threshold.
constexpr PlanPattern kStandard[] = {{"hyb hyb.k=-1 block=256 tail=1"}};
const Format kHyb{.name = "hyb",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = Hyb::pack,
                  .source = Hyb::source,
                  .steps = Hyb::steps,
                  .gist = gist,
                  .general = Hyb::general,
                  .isWorthCompiling = false,
                  .paces = kPaces,
                  .standard = kStandard,
                  .packing = &Hyb::kPacking};

} // namespace specmv
