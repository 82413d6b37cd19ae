// HCGHYB on the host (AlAhmadi et al. 2020, section 8.1): HYB whose COO part is multiplied on the
// GPU and summed by row on the host, while the GPU goes on with the ELL part. K is HYB's.
#include "generator/formats.h"
#include "generator/formats/ell/part.h"
#include "generator/formats/hcghyb/part.h"
#include "generator/shared/lengths.h"
#include "generator/shared/walk.h"
#include "generator/tree/split_by_position.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr SplitByPosition kSplit{"hcghyb", kEllPart, kHostSumPart, key::kHybK, hybThresholds};
using Hcghyb = SplitFormat<kSplit>;

constexpr Rate kRates[] = {kHostLatencyUs, kHostSumBytesPerUs};
constexpr const PaceRates *kPaces[] = {&kHybPace};

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = kSplit.traffic(in, plan);
  addWalk(t, in, {.pace = kHybPace});
  return t;
}

static std::string gist(const Plan &plan) {
  return llvm::formatv("the GPU sums the first {0} entries of each row, the host those beyond",
                       plan.get(key::kHybK));
}

constexpr Parameter kParameters[] = {kThresholdParameter, kBlockParameter};
const Format kHcghyb{.name = "hcghyb",
                     .parameters = kParameters,
                     .offer = Hcghyb::offer,
                     .traffic = traffic,
                     .pack = Hcghyb::pack,
                     .source = Hcghyb::source,
                     .steps = Hcghyb::steps,
                     .gist = gist,
                     .rates = kRates,
                     .paces = kPaces,
                     .mixesTypes = false};

} // namespace specmv
