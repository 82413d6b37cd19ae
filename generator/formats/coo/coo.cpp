// COO on the host: triplets in the order of the rows (PMF paper section 4.2.1). The first kernel,
// an ELL without columns, stores beta y, since the triplets do not reach rows without entries.
#include "generator/formats.h"
#include "generator/formats/coo/part.h"
#include "generator/formats/ell/part.h"
#include "generator/shared/walk.h"
#include "generator/tree/split_by_position.h"

namespace specmv {

constexpr SplitByPosition kSplit{"coo", kEllPart, kTripletPart};
using Coo = SplitFormat<kSplit>;

constexpr PaceRates kPace("coo");
constexpr const PaceRates *kPaces[] = {&kPace};

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "coo", .integers = {{key::kBlock, kBlockThreads}}};
  addIndexTypes(plan, p.rows, p.cols, p.nnz);
  out.push_back(std::move(plan));
  addAtomic(in.fixed, out);
  return "";
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = kSplit.traffic(in, plan);
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

static std::string gist(const Plan & /*plan*/) {
  return "its threads take equal shares of the entries, and empty rows cost nothing";
}

constexpr Parameter kParameters[] = {kBlockParameter, kAtomicParameter};
const Format kCoo{.name = "coo",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = Coo::pack,
                  .source = Coo::source,
                  .steps = Coo::steps,
                  .gist = gist,
                  .paces = kPaces,
                  .packing = &Coo::kPacking};

} // namespace specmv
