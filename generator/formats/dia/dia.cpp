// DIA on the host: its plans, source and launches. layout.cpp packs. An entry is stored as its
// value without an index, so a product moves (diagonals + 2) values for each row. Each group of
// diagonals that is far from the others reads x again from L2.
#include "generator/formats.h"
#include "generator/formats/dia/layout.h"
#include "generator/formats/dia/packing.h"
#include "generator/shared/padded.h"
#include "generator/shared/several.h"
#include "generator/shared/walk.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static std::vector<int64_t> offsetsOf(const SparsityProfile &p) {
  std::vector<int64_t> offsets;
  for (const DiagonalCount &diagonal : p.diagonals)
    offsets.push_back(diagonal.offset);
  return offsets;
}

// Whether a place of the diagonals may have no entry. The counts do not show this if as many
// entries are repeated as places are empty; diaLayout() then refuses the plan.
static bool mayHaveHoles(const SparsityProfile &p) {
  return std::any_of(p.diagonals.begin(), p.diagonals.end(), [&](const DiagonalCount &d) {
    return d.entries != placesOf(d.offset, p.rows, p.cols);
  });
}

constexpr PaceRates kPace("dia");
constexpr const PaceRates *kPaces[] = {&kPace};
// An entry of DIA costs less than one of ELL (0.6 of a pass), since its load of x does not wait for
// a column.
constexpr Rate kPlacesPerPass{
    "dia.placesPerPass", "places of diagonals that cost as much as a pass of CSR-vector's loop", 3,
    kNoFit};
constexpr Rate kRates[] = {kPlacesPerPass};
// The plan without a list of offsets is for the general kernels, which read the offsets as an
// argument.
constexpr PlanPattern kStandard[] = {
    {"dia dia.rows={1,2,4} holes=0 block=256", " dia.offsets=[0]"},
    {"dia dia.rows={1,2,4} holes=0 block=256", " dia.offsets=[-1,0,1]"},
    {"dia dia.rows={1,2,4} holes={0,1} block=256"},
    {"dia dia.rows={1,2,4} holes={0,1} block=256", " values=diagonals"}};

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const int64_t v = vectorValueBytes(in.problem);
  const int64_t diagonals = p.occupiedDiagonals, slots = ellSlots(p.rows, diagonals);
  const int64_t perThread = plan.get(key::kDiaRows);
  // This is the largest possible number of holes, as if all groups had different sets. L1 keeps
  // most of the sets, so they are not counted as streamed bytes.
  const int64_t groups = plan.get(key::kDiaHoles) ? ceilDiv(p.rows, kHoleRows) : 0;
  const double placesPerPass = in.gpu.rates[kPlacesPerPass];
  Traffic t;
  t.storedBytes =
      storedBytesOf(diaFields(plan, in.problem, {p.rows, p.cols, diagonals, groups * diagonals}));
  t.slots = slots;
  t.streamBytes = t.storedBytes + p.rows * v -
                  groups * diagonals * static_cast<int64_t>(sizeOf(ElementType::u32));
  t.threads = ceilDiv(p.rows, perThread);
  t.steps = static_cast<int64_t>(static_cast<double>(slots) / placesPerPass);
  t.longestChain = static_cast<int64_t>(static_cast<double>(diagonals * perThread) / placesPerPass);
  addWalk(t, in, {.pace = kPace});
  return t;
}

// Two or four rows a thread are offered if the thread has at most this many places. The rows share
// the cost of a thread outside its loop, which matters only if the loop is short; the kernel issues
// the loads of all these places at once. The number is an estimate.
constexpr int64_t kMaxPlaces = 16;

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  const int64_t fixed = fixedOr(in.fixed, key::kDiaRows, 0);
  if (std::string why = whyNotDia(p.occupiedDiagonals, p.rows, p.nnz); !why.empty())
    return why;
  for (int64_t perThread : {1, 2, 4}) {
    const bool isShort = perThread * p.occupiedDiagonals <= kMaxPlaces;
    if (fixed ? perThread != fixed : perThread > 1 && !isShort)
      continue;
    Plan plan{.format = "dia",
              .integers = {{key::kDiaRows, perThread},
                           {key::kDiaHoles, mayHaveHoles(p)},
                           {key::kBlock, kBlockThreads}},
              .lists = {{key::kDiaOffsets, offsetsOf(p)}}};
    addIndexTypes(plan, p.rows, p.cols, ellSlots(p.rows, p.occupiedDiagonals));
    out.push_back(std::move(plan));
  }
  return "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  return mainKernel("dia", "DiaArgs", plan, problem, diaFields(plan, problem, {}));
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const bool isGeneral = hasOffsetsAsArgument(plan);
  PlanConstant constant{kPlanName,
                        "DiaPlan",
                        {{"blockThreads", plan.get(key::kBlock)},
                         {"rowsPerThread", plan.get(key::kDiaRows)},
                         {"diagonals", isGeneral ? int64_t{kAsArgument} : diagonalsOf(plan)},
                         {"holes", plan.get(key::kDiaHoles)},
                         {"readsY", problem.betaCanBeNonZero}}};
  if (!isGeneral)
    constant.lists = {{"offsets", plan.get(key::kDiaOffsets)}};
  return emit(plan, problem, {"dia.cuh"}, {constant}, kernelsFor(kernelOf(plan, problem), problem));
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get(key::kBlock) * plan.get(key::kDiaRows);
  const int64_t blocks = ceilDiv(layout.integer("rows"), rowsPerBlock);
  return launchOnly(kernelOf(plan, problem), blocks);
}

// The rows of a set of holes must belong to neighbouring teams, one for each row.
static std::string whyNotSeveral(const Plan &plan, const Problem &problem) {
  const int64_t teams = plan.get(key::kBlock) / teamOf(problem);
  return teams % kHoleRows == 0
             ? ""
             : llvm::formatv(
                   "{0} vectors leave a block of {1} threads {2} teams, not a multiple of {3}",
                   problem.vectors, plan.get(key::kBlock), teams, kHoleRows)
                   .str();
}

static Steps stepsOfSeveral(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t rowsPerBlock = plan.get(key::kBlock) * plan.get(key::kDiaRows) / teamOf(problem);
  return severalSteps(kernelOf(plan, problem), problem,
                      ceilDiv(layout.integer("rows"), rowsPerBlock));
}

constexpr Several kSeveral{whyNotSeveral, stepsOfSeveral};

static Plan general(const Plan &plan) {
  Plan out = plan;
  out.lists.clear();
  return out;
}

static std::string gist(const Plan &plan) {
  const size_t diagonals = plan.get(key::kDiaOffsets).size();
  if (diagonals == 1)
    return "the offset of its diagonal replaces the columns, which are not read";
  return llvm::formatv("the offsets of its {0} diagonals replace the columns, which are not read",
                       diagonals);
}

const Format kDia{.name = "dia",
                  .parameters = kDiaParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = diaLayout,
                  .source = source,
                  .steps = steps,
                  .gist = gist,
                  .general = general,
                  .rates = kRates,
                  .paces = kPaces,
                  .standard = kStandard,
                  .fuses = Fuses::rowsAndX,
                  .packing = &kDiaPacking,
                  .several = &kSeveral};

} // namespace specmv
