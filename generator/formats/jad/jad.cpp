// JAD on the host (the statistics paper's JAD, section 2): rows are sorted by descending length,
// and diagonal k has entry k of each row that is long enough. Each diagonal is padded to whole
// warps.
#include "generator/formats.h"
#include "generator/formats/jad/layout.h"
#include "generator/formats/jad/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/padded.h"
#include "generator/shared/walk.h"
#include "templates/pack/slots.cuh"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr PaceRates kPace("jad");
constexpr const PaceRates *kPaces[] = {&kPace};
constexpr Rate kSorted{"jad.sorted", "counted share of the sectors of x that sorting adds", 0.5};
constexpr Rate kRates[] = {kSorted};
constexpr PlanPattern kStandard[] = {{"jad block=256"}};

static int64_t slotsOf(const SparsityProfile &p) {
  int64_t slots = 0, longer = p.rows, length = 0;
  for (const LengthCount &l : p.lengths) {
    slots += (l.length - length) * jadSlotsOfDiagonal(longer);
    longer -= l.rows;
    length = l.length;
  }
  return slots;
}

static JadShape shapeOf(const SparsityProfile &p) { return {p.rows, longestRow(p), slotsOf(p)}; }

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  Traffic t;
  t.storedBytes = storedBytesOf(jadFields(plan, in.problem, shapeOf(p)));
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = p.rows;
  t.dependentLoads = 1; // the starts of diagonals
  const double perBatch = in.gpu.rates[kPassesPerBatch];
  for (const LengthCount &l : p.lengths)
    t.steps += l.rows * paddedPasses(l.length, perBatch);
  t.longestChain = paddedPasses(longestRow(p), perBatch);
  if (p.rows == 0)
    return t;
  t.longRows = longRowsOf(in, 1, static_cast<double>(t.steps) / static_cast<double>(t.threads));
  t.longRows->areFirst = true;
  addWalk(t, in,
          {.pace = kPace,
           .sortedRows = static_cast<double>(p.rows),
           .moreSectors = sortedSectors(in, p.rows, in.gpu.rates[kSorted]),
           .scattersY = true});
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  if (std::string why = whyNoJad(longestRow(p)); !why.empty())
    return why;
  const int64_t slots = slotsOf(p);
  if (slots > kMaxSlots)
    return llvm::formatv("jad needs {0} slots; the limit is {1}", slots, kMaxSlots);
  Plan plan{.format = "jad", .integers = {{key::kBlock, kBlockThreads}}};
  // A thread adds its place to a diagonal's start before it knows whether its row reaches that
  // diagonal, so the sum can be up to `rows` beyond the slots.
  addIndexTypes(plan, p.rows, p.cols, slots + p.rows);
  out.push_back(std::move(plan));
  return "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  return mainKernel("jad", "JadArgs", plan, problem, jadFields(plan, problem, {}));
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "JadPlan",
                              {{"blockThreads", plan.get(key::kBlock)},
                               {"batch", kPaddedBatch},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"jad.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t blocks = ceilDiv(layout.integer("rows"), plan.get(key::kBlock));
  return launchOnly(kernelOf(plan, problem), blocks);
}

static std::string gist(const Plan & /*plan*/) {
  return "rows that are sorted by length need no padding";
}

constexpr Parameter kParameters[] = {kBlockParameter};
const Format kJad{.name = "jad",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = jadLayout,
                  .source = source,
                  .steps = steps,
                  .gist = gist,
                  .rates = kRates,
                  .paces = kPaces,
                  .standard = kStandard,
                  .fuses = Fuses::rowsAndX,
                  .packing = &kJadPacking};

} // namespace specmv
