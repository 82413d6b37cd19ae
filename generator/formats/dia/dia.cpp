// DIA on the host: its plans, source and launches; layout.cpp packs. An entry costs its value and
// no index: a product moves (diagonals + 2) values a row, and x again from L2 for each group of
// diagonals that lie far apart.
#include "generator/formats.h"
#include "generator/formats/dia/layout.h"
#include "generator/shared/ell_part.h"

#include "llvm/Support/FormatVariadic.h"

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

// Places of diagonals that cost what a pass of CSR-vector's loop does: ELL's entry costs 0.6 of
// one, and its x waits for a column.
constexpr const char *kPlacesPerPass = "dia.placesPerPass";
constexpr const char *kRates[] = {kPlacesPerPass};

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const int64_t diagonals = p.occupiedDiagonals, slots = ellSlots(p.rows, diagonals);
  const int64_t perThread = plan.get("dia.rows");
  // Holes at most: as if no two groups had the same. The product finds most of them in L1.
  const int64_t groups = plan.get("holes") ? ceilDiv(p.rows, kHoleRows) : 0;
  const double placesPerPass = in.gpu.rates[kPlacesPerPass];
  Traffic t;
  t.storedBytes =
      storedBytesOf(diaFields(plan, in.problem, {p.rows, p.cols, diagonals, groups * diagonals}));
  // x is read in order too, not gathered.
  t.streamBytes = t.storedBytes + (p.rows + p.cols) * v -
                  groups * diagonals * static_cast<int64_t>(sizeOf(ElementType::u32));
  t.threads = ceilDiv(p.rows, perThread);
  t.steps = static_cast<int64_t>(static_cast<double>(slots) / placesPerPass);
  t.longestChain = static_cast<int64_t>(static_cast<double>(diagonals * perThread) / placesPerPass);
  return t;
}

// Two or four rows a thread are offered up to this many places of all of them: they divide what a
// thread costs beside its loop, which counts only where that is short; the kernel then issues the
// loads of all at once. An estimate.
constexpr int64_t kMaxPlaces = 16;

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  const int64_t fixed = fixedOr(in.fixed, "dia.rows", 0);
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
    out.push_back(std::move(plan));
  }
  return "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return {.name = kKernelName,
          .function = "dia",
          .plan = kPlanName,
          .args = "DiaArgs",
          .types = {value, offset, column},
          .blockThreads = plan.get("block"),
          .arguments = argumentsOf(diaFields(plan, problem, {}))};
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

const Format kDia{.name = "dia",
                  .parameters = kDiaParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = diaLayout,
                  .source = source,
                  .steps = steps,
                  .rates = kRates};

} // namespace specmv
