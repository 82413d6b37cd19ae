// CSR-vector: its plans, prices and launches. It reads the CSR arrays unchanged; a group of 1 .. 32
// lanes multiplies a row.
#include "generator/formats.h"
#include "generator/formats/csr_vector/layout.h"
#include "generator/formats/csr_vector/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/lengths.h"
#include "generator/shared/padded.h"
#include "generator/shared/several.h"
#include "generator/shared/walk.h"
#include "templates/shared/constants.cuh"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace specmv {

constexpr PaceRates kPace("csr-vector");
constexpr const PaceRates *kPaces[] = {&kPace};
// With few lanes a row, the lanes of a warp read entries that are far apart.
constexpr Rate kEfficiency[] = {
    {"csr-vector.lanes1", "factor on the efficiency with 1 lane a row", 0.82},
    {"csr-vector.lanes2", "factor on the efficiency with 2 lanes a row", 0.85},
    {"csr-vector.lanes4", "factor on the efficiency with 4 lanes a row", 0.9},
    {"csr-vector.lanes8", "factor on the efficiency with 8 lanes a row", 1},
    {"csr-vector.lanes16", "factor on the efficiency with 16 lanes a row", 1.16},
    {"csr-vector.lanes32", "factor on the efficiency with 32 lanes a row", 1.43}};
constexpr Rate kShortRows{"csr-vector.shortRows",
                          "entries per lane and row at which a lane reaches half of the efficiency",
                          0.015};
constexpr Rate kRates[] = {kEfficiency[0], kEfficiency[1], kEfficiency[2], kEfficiency[3],
                           kEfficiency[4], kEfficiency[5], kShortRows};
constexpr PlanPattern kStandard[] = {{"csr-vector csr.lanes={2,4,8,16,32} block=256"}};

static Plan planFor(const PlanRequest &in, int64_t lanes) {
  Plan plan{.format = "csr-vector",
            .integers = {{key::kCsrLanes, lanes}, {key::kBlock, kBlockThreads}}};
  addIndexTypes(plan, in.profile.rows, in.profile.cols, in.profile.nnz);
  return plan;
}

// Lanes that have few entries of a row read less of a sector at a time.
static double efficiencyOf(const PlanRequest &in, int64_t lanes) {
  constexpr double kLeastPerLane = 0.05;
  const SparsityProfile &p = in.profile;
  const double perLane = static_cast<double>(p.nnz) / static_cast<double>(p.rows * lanes);
  const double ofLanes = in.gpu.rates[kEfficiency[llvm::Log2_64(static_cast<uint64_t>(lanes))]];
  return ofLanes / (1 + in.gpu.rates[kShortRows] / std::max(perLane, kLeastPerLane));
}

// The passes of a lane that adds so many entries: it loads kRowUnroll of them together, and those
// that are left over one after another. (Of the factors tried for these, from 0.3 to 1, 0.5 left
// the smallest errors on 184 matrices.)
static double passesOf(const PlanRequest &in, double entries) {
  constexpr double kOfOne = 0.5;
  const double perRound =
      in.gpu.rates[kPassesPerBatch] * int{kRowUnroll} / static_cast<double>(kPaddedBatch);
  const double rounds = std::floor(entries / int{kRowUnroll});
  const double left = std::ceil(entries - rounds * int{kRowUnroll});
  return entries > 0 ? perRound * std::max(1.0, rounds + kOfOne * left) : 0;
}

Traffic csrTraffic(const PlanRequest &in, const Plan &plan, const PaceRates &pace) {
  const SparsityProfile &p = in.profile;
  const int64_t lanes = plan.get(key::kCsrLanes), warpRows = 32 / lanes;
  Traffic t;
  t.storedBytes = storedBytesOf(csrVectorFields(plan, in.problem, p.rows, p.nnz));
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = p.rows * lanes;
  t.dependentLoads = 1; // the start of the row
  if (p.rows == 0)
    return t;
  const double slots = longestOfRows(p, warpRows) / static_cast<double>(lanes);
  const double perWave = passesOf(in, slots);
  t.steps = static_cast<int64_t>(static_cast<double>(t.threads) * perWave);
  const auto passesOfRow = [&](int64_t length) {
    return passesOf(in, static_cast<double>(ceilDiv(length, lanes)));
  };
  t.longestChain = static_cast<int64_t>(passesOfRow(longestRow(p)));
  t.longRows = longRowsOf(in, passesOfRow, perWave);
  const int64_t blockRows = kBlockThreads / lanes;
  addWalk(t, in,
          {.pace = pace,
           .blockRows = static_cast<double>(blockRows),
           .rowsAtOnce = static_cast<double>(warpRows)});
  return t;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  Traffic t = csrTraffic(in, plan, kPace);
  if (in.profile.rows > 0)
    t.pace.efficiency *= efficiencyOf(in, plan.get(key::kCsrLanes));
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t fixed = fixedOr(in.fixed, key::kCsrLanes, 0);
  // CSR-scalar is the format with one lane a row; CSR-vector offers one lane only if the caller
  // fixes it.
  const int64_t least = fixed ? fixed : 2, most = fixed ? fixed : 32;
  for (int64_t lanes = least; lanes <= most; lanes *= 2)
    out.push_back(planFor(in, lanes));
  return "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  return mainKernel("csrVector", "CsrVectorArgs", plan, problem,
                    csrVectorFields(plan, problem, 0, 0));
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "CsrVectorPlan",
                              {{"blockThreads", plan.get(key::kBlock)},
                               {"lanesPerRow", plan.get(key::kCsrLanes)},
                               {"readsY", problem.betaCanBeNonZero},
                               {"storesByFirst", problem.fusion && plan.get(key::kCsrLanes) > 1}}};
  return emit(plan, problem, {"csr_vector.cuh"}, {constant},
              kernelsFor(kernelOf(plan, problem), problem));
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get(key::kBlock) / plan.get(key::kCsrLanes);
  const int64_t blocks = ceilDiv(layout.integer("rows"), rowsPerBlock);
  return launchOnly(kernelOf(plan, problem), blocks);
}

static std::string whyNotSeveral(const Plan &plan, const Problem &problem) {
  return whyNoTeams(problem, "csr.lanes", plan.get(key::kCsrLanes));
}

static Steps stepsOfSeveral(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get(key::kBlock) / (plan.get(key::kCsrLanes) * teamOf(problem));
  return severalSteps(kernelOf(plan, problem), problem,
                      ceilDiv(layout.integer("rows"), rowsPerBlock));
}

constexpr Several kSeveral{whyNotSeveral, stepsOfSeveral};

static std::string gist(const Plan &plan) {
  const int64_t lanes = plan.get(key::kCsrLanes);
  return lanes == 1
             ? "one thread sums each row"
             : llvm::formatv("{0} lanes share each row, and this number is a constant in the code",
                             lanes)
                   .str();
}

constexpr Parameter kParameters[] = {{.name = key::kCsrLanes.name,
                                      .least = 1,
                                      .most = 32,
                                      .isPowerOfTwo = true,
                                      .isSettable = true,
                                      .tried = {1, 2, 4, 8, 16, 32}},
                                     kBlockParameter};
const Format kCsrVector{.name = "csr-vector",
                        .parameters = kParameters,
                        .offer = offer,
                        .traffic = traffic,
                        .pack = csrVectorLayout,
                        .source = source,
                        .steps = steps,
                        .gist = gist,
                        .rates = kRates,
                        .paces = kPaces,
                        .standard = kStandard,
                        .fuses = Fuses::rowsAndX,
                        .packing = &kCsrPacking,
                        .several = &kSeveral};

} // namespace specmv
