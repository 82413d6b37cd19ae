// COO on the host: triplets in the order of the rows (PMF paper section 4.2.1). The first kernel,
// an ELL without columns, stores beta y, since the triplets do not reach rows without entries.
#include "generator/formats.h"
#include "generator/formats/coo/layout.h"
#include "generator/formats/coo/packing.h"
#include "generator/shared/ell_part.h"
#include "generator/shared/triplets.h"
#include "generator/shared/walk.h"

namespace specmv {

constexpr PaceRates kPace("coo");
constexpr const PaceRates *kPaces[] = {&kPace};

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "coo", .integers = {{key::kBlock, kBlockThreads}}};
  addIndexTypes(plan, p.rows, p.cols, p.nnz);
  out.push_back(std::move(plan));
  return "";
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = ellTraffic(in, plan, 0, 0);
  addCooTraffic(t, in, plan, 0, in.profile.nnz);
  const SparsityProfile &p = in.profile;
  constexpr double kBlocksPerSm = 6, kEntriesOfBlock = 2048;
  const double mean = static_cast<double>(p.nnz) / static_cast<double>(std::max<Count>(1, p.rows));
  addWalk(t, in,
          {.pace = kPace,
           .blockRows = kEntriesOfBlock / std::max(mean, 1e-3),
           .blocksPerSm = kBlocksPerSm,
           .sharedBytesPerSm = sharedBytesOfTriplets(vectorTypeOf(in.problem)),
           .rowsAtOnce = 32 * rowsNotEmpty(p) / static_cast<double>(std::max<Count>(1, p.nnz)),
           .scattersY = true});
  return t;
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

static std::string gist(const Plan & /*plan*/) {
  return "its threads take equal shares of the entries, and empty rows cost nothing";
}

constexpr Parameter kParameters[] = {kBlockParameter};
const Format kCoo{.name = "coo",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = cooLayout,
                  .source = source,
                  .steps = steps,
                  .gist = gist,
                  .paces = kPaces,
                  .packing = &kCooPacking};

} // namespace specmv
