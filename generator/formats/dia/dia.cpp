// DIA on the host: its plans, source and launches; layout.cpp packs. An entry costs its value and
// no index: a product moves (diagonals + 2) values a row, and x again from L2 for each group of
// diagonals that lie far apart.
#include "generator/formats.h"
#include "generator/formats/dia/layout.h"
#include "generator/shared/ell_part.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace specmv {

static std::vector<int64_t> offsetsOf(const SparsityProfile &p) {
  std::vector<int64_t> offsets;
  for (const DiagonalCount &diagonal : p.diagonals)
    offsets.push_back(diagonal.offset);
  return offsets;
}

// Whether some place of the diagonals may lack an entry. Repeated entries can hide that where they
// are as many as what is missing; diaLayout then refuses the plan.
static bool mayHaveHoles(const SparsityProfile &p) {
  return std::any_of(p.diagonals.begin(), p.diagonals.end(), [&](const DiagonalCount &d) {
    return d.entries != placesOf(d.offset, p.rows, p.cols);
  });
}

// A place of a diagonal costs a third of a pass of CSR-vector's loop, an estimate: ELL's costs 0.6,
// and its x waits for a column.
constexpr int64_t kPlacesPerPass = 3;

static Traffic trafficOf(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const int64_t diagonals = p.occupiedDiagonals, slots = ellSlots(p.rows, diagonals);
  const int64_t groups = plan.get("holes") ? ceilDiv(p.rows, kHoleRows) : 0;
  const int64_t sets = groups * static_cast<int64_t>(sizeOf(indexTypesOf(plan).offset));
  Traffic t;
  // At most: as if no two groups had the same holes. The product finds most of them in L1.
  t.storedBytes = slots * v + sets + groups * diagonals * 4;
  t.streamBytes = slots * v + sets + (p.rows + p.cols) * v; // x is read in order too, not gathered
  t.threads = ceilDiv(p.rows, plan.get("dia.rows"));
  t.steps = slots / kPlacesPerPass;
  t.longestChain = diagonals * plan.get("dia.rows") / kPlacesPerPass;
  return t;
}

// Two or four rows a thread are offered up to this many places of all of them: they divide what a
// thread costs beside its loop, which counts only where that is short; the kernel then issues the
// loads of all at once. An estimate.
constexpr int64_t kMaxPlaces = 16;

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  const int64_t fixed = fixedOr(in.fixed, "dia.rows", 0);
  if (isFixed(in.fixed, "dia.rows") && (fixed < 1 || fixed > 4 || !llvm::isPowerOf2_64(fixed)))
    return llvm::formatv("dia.rows = {0} is not 1, 2 or 4", fixed);
  if (std::string why = whyNotDia(p.occupiedDiagonals, p.rows, p.nnz); !why.empty())
    return why;
  for (int64_t perThread : {1, 2, 4}) {
    const bool isShort = perThread * p.occupiedDiagonals <= kMaxPlaces;
    if (fixed ? perThread != fixed : perThread > 1 && !isShort)
      continue;
    Plan plan{
        .format = "dia",
        .integers = {{"dia.rows", perThread}, {"holes", mayHaveHoles(p)}, {"block", kBlockThreads}},
        .lists = {{"dia.offsets", offsetsOf(p)}}};
    addIndexTypes(plan, p.rows, p.cols, ellSlots(p.rows, p.occupiedDiagonals));
    plan.traffic = trafficOf(in, plan);
    out.push_back(std::move(plan));
  }
  return "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  Kernel kernel{.name = kKernelName,
                .function = "dia",
                .plan = kPlanName,
                .args = "DiaArgs",
                .types = {value, offset, column},
                .blockThreads = plan.get("block"),
                .arguments = {{"val", Binding::array, value}}};
  if (plan.get("holes"))
    kernel.arguments.insert(kernel.arguments.end(), {{"holeSet", Binding::array, offset},
                                                     {"holes", Binding::array, ElementType::u32}});
  kernel.arguments.insert(kernel.arguments.end(), {{"x", Binding::x, value},
                                                   {"y", Binding::y, value},
                                                   {"alpha", Binding::alpha, value},
                                                   {"beta", Binding::beta, value},
                                                   {"rows", Binding::integer, offset},
                                                   {"cols", Binding::integer, column},
                                                   {"stride", Binding::integer, offset}});
  return kernel;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const std::vector<int64_t> offsets = plan.getList("dia.offsets");
  const PlanConstant constant{kPlanName,
                              "DiaPlan",
                              {{"blockThreads", plan.get("block")},
                               {"rowsPerThread", plan.get("dia.rows")},
                               {"diagonals", static_cast<int64_t>(offsets.size())},
                               {"holes", plan.get("holes")},
                               {"readsY", problem.betaCanBeNonZero}},
                              {{"offsets", offsets}}};
  return emit(plan, problem, {"dia.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get("block") * plan.get("dia.rows");
  const int64_t blocks = ceilDiv(layout.integer("rows"), rowsPerBlock);
  return blocks == 0 ? Steps{} : Steps{launchOf(kernelOf(plan, problem), blocks)};
}

static constexpr FormatParameter kParameters[] = {{"dia.rows"}};
const Format kDia{"dia", kParameters, plans, diaLayout, source, steps};

} // namespace specmv
