// CSR-vector on the host: the CSR arrays unchanged; a group of 1 .. 32 lanes multiplies a row.
#include "generator/formats.h"
#include "generator/formats/csr_vector/layout.h"
#include "generator/formats/csr_vector/packing.h"
#include "generator/shared/gathers.h"
#include "templates/shared/constants.cuh"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace specmv {

// Share of the memory rate that CSR-vector reaches if nothing else limits it, for 1, 2, 4 .. 32
// lanes. With few lanes a row, the lanes of a warp read far apart, and cache lines leave L1 before
// all of a line is used. Short rows lie close together, so the number of lanes does not matter.
// Rows that fill the unrolled loop reach more.
constexpr const char *kEfficiency[] = {"csr-vector.efficiency1",  "csr-vector.efficiency2",
                                       "csr-vector.efficiency4",  "csr-vector.efficiency8",
                                       "csr-vector.efficiency16", "csr-vector.efficiency32"};
constexpr const char *kEfficiencyShort = "csr-vector.efficiencyShort";
constexpr const char *kEfficiencyUnrolled = "csr-vector.efficiencyUnrolled";
constexpr const char *kShortRow = "csr-vector.shortRow"; // entries of a row that is not short
// What an entry costs, in passes: an entry of the unrolled loop, whose loads are in flight together
// with those of three others, costs 1 in double and this in float, where fewer bytes are in flight;
// and an entry behind that loop, which waits alone.
constexpr const char *kUnrolledPassesF32 = "csr-vector.unrolledPassesF32";
constexpr const char *kSinglePasses = "csr-vector.singlePasses";
constexpr const char *kRates[] = {kEfficiency[0],     kEfficiency[1],      kEfficiency[2],
                                  kEfficiency[3],     kEfficiency[4],      kEfficiency[5],
                                  kEfficiencyShort,   kEfficiencyUnrolled, kShortRow,
                                  kUnrolledPassesF32, kSinglePasses};

static double efficiencyOf(const PlanRequest &in, int64_t lanes) {
  const SparsityProfile &p = in.profile;
  const auto rows = static_cast<double>(p.rows);
  if (static_cast<double>(p.nnz) < in.gpu.rates[kShortRow] * rows)
    return in.gpu.rates[kEfficiencyShort];
  return in.gpu.rates[lanes >= 16 && p.nnz >= kRowUnroll * lanes * p.rows
                          ? kEfficiencyUnrolled
                          : kEfficiency[llvm::Log2_64(static_cast<uint64_t>(lanes))]];
}

namespace {
// Passes that a row costs a lane which multiplies n of its entries.
struct Passes {
  double unrolled, single; // of an entry
  explicit Passes(const PlanRequest &in)
      : unrolled(in.problem.type == ValueType::f32 ? in.gpu.rates[kUnrolledPassesF32] : 1),
        single(in.gpu.rates[kSinglePasses]) {}
  int64_t of(int64_t n) const {
    const int64_t rest = n % kRowUnroll, together = n - rest;
    return static_cast<int64_t>(static_cast<double>(together) * unrolled) +
           static_cast<int64_t>(static_cast<double>(rest) * single);
  }
};
} // namespace

static Plan planFor(const PlanRequest &in, int64_t lanes) {
  Plan plan{.format = "csr-vector", .integers = {{"csr.lanes", lanes}, {"block", kBlockThreads}}};
  addIndexTypes(plan, in.profile.rows, in.profile.cols, in.profile.nnz);
  return plan;
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const int64_t lanes = plan.get("csr.lanes");
  Traffic t;
  t.storedBytes = storedBytesOf(csrVectorFields(plan, in.problem, p.rows, p.nnz));
  t.streamBytes = t.storedBytes + p.rows * static_cast<int64_t>(sizeOf(in.problem.type));
  t.gatherBytes = gatherBytes(in);
  t.threads = p.rows * lanes;
  const Passes passesOf(in);
  for (const LengthCount &l : p.lengths) {
    const int64_t passes = passesOf.of(ceilDiv(l.length, lanes));
    t.steps += l.rows * passes * lanes;
    t.longestChain = std::max(t.longestChain, passes);
  }
  t.dependentLoads = 1; // the begin of the row
  t.efficiency = efficiencyOf(in, lanes);
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t fixed = fixedOr(in.fixed, "csr.lanes", 0);
  // One lane a row is CSR-scalar, a format of its own; here it is offered only if it is fixed.
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
                              {{"blockThreads", plan.get("block")},
                               {"lanesPerRow", plan.get("csr.lanes")},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"csr_vector.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get("block") / plan.get("csr.lanes");
  const int64_t blocks = ceilDiv(layout.integer("rows"), rowsPerBlock);
  return launchOnly(kernelOf(plan, problem), blocks);
}

static std::string gist(const Plan &plan) {
  const int64_t lanes = plan.get("csr.lanes");
  return lanes == 1
             ? "one thread sums each row"
             : llvm::formatv("{0} lanes share each row, a constant of its code", lanes).str();
}

constexpr Parameter kParameters[] = {{.name = "csr.lanes",
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
                        .packing = &kCsrPacking};

} // namespace specmv
