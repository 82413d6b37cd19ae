// CSR-vector on the host: the CSR arrays as they are, rows given to groups of 1 .. 32 lanes.
#include "generator/emit.h"
#include "generator/fixed_numbers.h"
#include "generator/formats.h"
#include "generator/shared/csr_arrays.h"
#include "generator/shared/gathers.h"
#include "models/base/error.h"

#include "llvm/Support/MathExtras.h"

namespace specmv {

// Share of the memory rate that CSR-vector reaches where nothing else holds it up, by lanes 1, 2 ..
// 32: measured on an H200 in double on stencils, bands and blocks of 17 to 81 entries a row. Few
// lanes read far apart, so that lines leave L1 before all of them was used; short rows lie close
// together, and there the number of lanes does not matter. Rows that fill the unrolled loop reach
// more (1.0 with 64 entries on 16 lanes, 0.87 with 81).
constexpr double kEfficiency[] = {0.35, 0.5, 0.55, 0.65, 0.7, 0.65};
constexpr double kEfficiencyShort = 0.7, kEfficiencyUnrolled = 0.9;
constexpr int64_t kShortRow = 8, kUnrolled = 4;

static double efficiencyOf(const SparsityProfile &p, int64_t lanes) {
  if (p.nnz < kShortRow * p.rows)
    return kEfficiencyShort;
  return lanes >= 16 && p.nnz >= kUnrolled * lanes * p.rows
             ? kEfficiencyUnrolled
             : kEfficiency[llvm::Log2_64(static_cast<uint64_t>(lanes))];
}

// Passes that a row costs a lane that takes n of its entries. Behind those that are unrolled, whose
// loads are in flight together, each waits alone, which costs two; in float, where fewer bytes are
// in flight, an unrolled one costs 2/3 (55 ns against 86 for the row of 93,261 entries of
// qp_BOYD1_A with 32 lanes). Both are of tests/bench/results/2026-11-21-h200.jsonl.
static int64_t passesOf(int64_t n, ValueType type) {
  const int64_t unrolled = n / kUnrolled * kUnrolled;
  return (type == ValueType::f32 ? unrolled * 2 / 3 : unrolled) + n % kUnrolled * 2;
}

static Plan planFor(const PlanRequest &in, int64_t lanes) {
  Plan plan{.format = "csr-vector", .integers = {{"csr.lanes", lanes}, {"block", kBlockThreads}}};
  addIndexTypes(plan, in.profile.rows, in.profile.cols, in.profile.nnz);
  const SparsityProfile &p = in.profile;
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));

  Traffic &t = plan.traffic;
  t.storedBytes = csrStoredBytes(p, in.problem.type, indexTypesOf(plan));
  t.streamBytes = t.storedBytes + p.rows * v;
  t.gatherBytes = gatherBytes(p, in.problem.type);
  t.threads = p.rows * lanes;
  for (const LengthCount &l : p.lengths) {
    const int64_t passes = passesOf(ceilDiv(l.length, lanes), in.problem.type);
    t.steps += l.rows * passes * lanes;
    t.longestChain = std::max(t.longestChain, passes);
  }
  t.heads = 1; // the begin of the row
  t.efficiency = efficiencyOf(p, lanes);
  return plan;
}

constexpr PlanNumber kNumbers[] = {{"csr.lanes", 1, 32, true}, kBlockNumber};

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  if (std::string why = whyNotFixed(in.fixed, kNumbers); !why.empty())
    return why;
  const int64_t fixed = fixedOr(in.fixed, "csr.lanes", 0);
  // One lane a row is CSR-scalar, a format of its own: here only where it is asked for.
  const int64_t least = fixed ? fixed : 2, most = fixed ? fixed : 32;
  for (int64_t lanes = least; lanes <= most; lanes *= 2)
    out.push_back(planFor(in, lanes));
  return "";
}

static llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkNumbers(plan, kNumbers))
    return error;
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, a.nnz))
    return error;
  return csrLayout(a, indexTypesOf(plan), problem);
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  return {.name = kKernelName,
          .function = "csrVector",
          .plan = kPlanName,
          .args = "CsrVectorArgs",
          .types = {value, offset, column},
          .blockThreads = plan.get("block"),
          .arguments = {{"rowPtr", Binding::array, offset},
                        {"col", Binding::array, column},
                        {"val", Binding::array, value},
                        {"x", Binding::x, value},
                        {"y", Binding::y, value},
                        {"alpha", Binding::alpha, value},
                        {"beta", Binding::beta, value},
                        {"rows", Binding::integer, offset}}};
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
  return blocks == 0 ? Steps{} : Steps{launchOf(kernelOf(plan, problem), blocks)};
}

static constexpr FormatParameter kParameters[] = {{"csr.lanes"}};
const Format kCsrVector{"csr-vector", kParameters, plans, layout, source, steps};

} // namespace specmv
