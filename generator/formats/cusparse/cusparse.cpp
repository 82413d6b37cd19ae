// The products of cuSPARSE as formats: one library call each, on the arrays that it wants. They are
// the yardstick of ours, candidates where they promise what products promise, and the fallback.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/cusparse/layout.h"
#include "generator/shared/csr_arrays.h"
#include "generator/shared/gathers.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

namespace {

// What a product of cuSPARSE costs beside bytes. Measured on an H200 (CUDA 13.0, cuSPARSE 12.6.3):
// the time of the smallest matrices in launches, and the smallest share of the copy rate on 5-, 7-
// and 27-point stencils in both types. Then both are made a quarter worse, so that a format of ours
// is preferred unless it is clearly slower.
struct Cost {
  int32_t launches;
  double efficiency;
};

// A format and how it is priced: plan() adds the one plan of a matrix with entries, or says why
// not.
struct Routine {
  const char *name;
  std::string (*plan)(const Routine &, const PlanRequest &, std::vector<Plan> &);
  Cost cost;
};

// The plan with index types for so many elements, of one width.
Plan planOf(const Routine &routine, const PlanRequest &in, int64_t elements) {
  Plan plan{.format = routine.name};
  const int64_t largest = std::max({in.profile.rows, in.profile.cols, elements});
  addIndexTypes(plan, largest, largest, largest);
  return plan;
}

// Balanced over the entries: the time is in the bytes and in the launches.
void price(const Routine &routine, const PlanRequest &in, int64_t storedBytes, Plan &plan) {
  plan.traffic.storedBytes = storedBytes;
  plan.traffic.streamBytes =
      storedBytes + in.profile.rows * static_cast<int64_t>(sizeOf(in.problem.type));
  plan.traffic.gatherBytes = gatherBytes(in.profile, in.problem.type);
  plan.traffic.launches = routine.cost.launches;
  plan.traffic.efficiency = routine.cost.efficiency;
}

int64_t indexBytes(const Plan &plan) {
  return static_cast<int64_t>(sizeOf(indexTypesOf(plan).offset));
}

std::string planCsr(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  Plan plan = planOf(routine, in, in.profile.nnz);
  price(routine, in, csrStoredBytes(in.profile, in.problem.type, indexTypesOf(plan)), plan);
  out.push_back(std::move(plan));
  return "";
}

// As CSR; it takes 32-bit columns only.
std::string planOp(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  std::vector<Plan> plans;
  planCsr(routine, in, plans);
  if (plans.front().get("column") != 32)
    return llvm::formatv("{0} takes 32-bit indices; the matrix is {1} x {2} with {3} entries",
                         routine.name, in.profile.rows, in.profile.cols, in.profile.nnz);
  out.push_back(std::move(plans.front()));
  return "";
}

std::string planCoo(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  Plan plan = planOf(routine, in, in.profile.nnz);
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  price(routine, in, in.profile.nnz * (2 * indexBytes(plan) + v), plan);
  out.push_back(std::move(plan));
  return "";
}

// Elements of slices of that many rows in the order of the matrix.
int64_t paddedOf(const SparsityProfile &p, int64_t slice) {
  for (const SliceCount &count : p.slices)
    if (count.slice == slice && count.window == 1)
      return count.padded;
  return 0;
}

// One thread a row of a slice, so the longest row is the longest chain: as with our ELL, a pass is
// taken to cost 0.6 of one of CSR-vector's.
std::string planSell(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t elements = paddedOf(in.profile, kCusparseSlice);
  if (std::string why = whyPadded(routine.name, elements, in.profile.nnz); !why.empty())
    return why;
  Plan plan = planOf(routine, in, elements);
  plan.integers.insert(plan.integers.begin(), {"slice", kCusparseSlice});
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const int64_t slices = ceilDiv(in.profile.rows, kCusparseSlice);
  price(routine, in, elements * (indexBytes(plan) + v) + (slices + 1) * indexBytes(plan), plan);
  plan.traffic.threads = slices * kCusparseSlice;
  plan.traffic.steps = elements * 3 / 5;
  plan.traffic.longestChain = longestRow(in.profile) * 3 / 5;
  out.push_back(std::move(plan));
  return "";
}

// Blocks of that size that hold an entry, from the profile's sample.
int64_t blocksOf(const SparsityProfile &p, int64_t size) {
  const auto sampled = static_cast<double>(p.blockFill.blocks[size - 1][size - 1]);
  return static_cast<int64_t>(sampled * static_cast<double>(p.nnz) /
                              static_cast<double>(std::max<Count>(1, p.blockFill.sampledEntries)));
}

Plan planBlocks(const Routine &routine, const PlanRequest &in, int64_t size) {
  const int64_t blocks = blocksOf(in.profile, size), elements = blocks * size * size;
  Plan plan = planOf(routine, in, elements);
  plan.integers.insert(plan.integers.begin(), {"bsr.size", size});
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  price(routine, in, elements * v + (blocks + in.profile.rows / size + 1) * indexBytes(plan), plan);
  return plan;
}

// The size of fewest bytes, where it has fewer than CSR.
std::string planBsr(const Routine &routine, const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  const int64_t fixed = fixedOr(in.fixed, "bsr.size", 0);
  if (isFixed(in.fixed, "bsr.size") && (fixed < kLeastBlock || fixed > kMostBlock))
    return llvm::formatv("bsr.size = {0} is not from {1} to {2}", fixed, kLeastBlock, kMostBlock);
  std::vector<Plan> plans;
  for (int64_t size = kLeastBlock; size <= kMostBlock; ++size)
    if (p.rows % size == 0 && p.cols % size == 0 && (!fixed || fixed == size))
      plans.push_back(planBlocks(routine, in, size));
  const auto best = std::min_element(plans.begin(), plans.end(), [](auto &l, auto &r) {
    return l.traffic.storedBytes < r.traffic.storedBytes;
  });
  if (best == plans.end())
    return llvm::formatv("{0} takes whole blocks: {1} x {2} is none of {3} x {3}{4}", routine.name,
                         p.rows, p.cols, fixed ? fixed : kLeastBlock,
                         fixed ? "" : llvm::formatv(" to {0} x {0}", kMostBlock).str());
  const int64_t size = best->get("bsr.size"), elements = blocksOf(p, size) * size * size;
  if (std::string why = whyPadded(routine.name, elements, p.nnz); !why.empty())
    return why;
  const int64_t csrBytes = csrStoredBytes(p, in.problem.type, indexTypesOf(*best));
  if (!fixed && best->traffic.storedBytes > csrBytes)
    return llvm::formatv("{0} would store {1} bytes in {2} x {2} blocks, more than CSR's {3}",
                         routine.name, best->traffic.storedBytes, size, csrBytes);
  out.push_back(*best);
  return "";
}

template <const Routine &routine> std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::string why = whyNoEntries(routine.name, p.rows, p.cols, p.nnz);
  return why.empty() ? routine.plan(routine, in, out) : why;
}

KernelSource noSource(const Plan & /*plan*/, const Problem & /*problem*/) { return {}; }

template <const Routine &routine>
Steps steps(const Plan & /*plan*/, const Problem & /*problem*/, const Layout & /*layout*/) {
  return {{LibraryCall{routine.name}}};
}

constexpr Routine kCsrRoutine{"cusparse-csr", planCsr, {7, 0.44}};
constexpr Routine kCsr1Routine{"cusparse-csr1", planCsr, {4, 0.46}};
constexpr Routine kCsr2Routine{"cusparse-csr2", planCsr, {7, 0.37}};
constexpr Routine kCooRoutine{"cusparse-coo", planCoo, {4, 0.58}};
constexpr Routine kSellRoutine{"cusparse-sell", planSell, {2, 0.62}};
// Estimates: neither was measured.
constexpr Routine kBsrRoutine{"cusparse-bsr", planBsr, {4, 0.4}};
constexpr Routine kOpRoutine{"cusparse-op", planOp, {4, 0.4}};

constexpr FormatParameter kBsrParameters[] = {{"bsr.size"}};

constexpr const char *kLibrary = "cuSPARSE";

} // namespace

// What is deterministic is what NVIDIA's documentation of cusparseSpMV says of its algorithms: the
// defaults of CSR and COO may differ from run to run. Of cusparseSpMVOp it says nothing.
const Format kCusparseCsr{.name = kCsrRoutine.name,
                          .parameters = {},
                          .plans = plans<kCsrRoutine>,
                          .layout = cusparseCsrLayout,
                          .source = noSource,
                          .steps = steps<kCsrRoutine>,
                          .isDeterministic = false,
                          .library = kLibrary};
const Format kCusparseCsr1{.name = kCsr1Routine.name,
                           .parameters = {},
                           .plans = plans<kCsr1Routine>,
                           .layout = cusparseCsrLayout,
                           .source = noSource,
                           .steps = steps<kCsr1Routine>,
                           .isDeterministic = false,
                           .library = kLibrary};
const Format kCusparseCsr2{.name = kCsr2Routine.name,
                           .parameters = {},
                           .plans = plans<kCsr2Routine>,
                           .layout = cusparseCsrLayout,
                           .source = noSource,
                           .steps = steps<kCsr2Routine>,
                           .library = kLibrary};
const Format kCusparseCoo{.name = kCooRoutine.name,
                          .parameters = {},
                          .plans = plans<kCooRoutine>,
                          .layout = cusparseCooLayout,
                          .source = noSource,
                          .steps = steps<kCooRoutine>,
                          .isDeterministic = false,
                          .library = kLibrary};
const Format kCusparseSell{.name = kSellRoutine.name,
                           .parameters = {},
                           .plans = plans<kSellRoutine>,
                           .layout = cusparseSellLayout,
                           .source = noSource,
                           .steps = steps<kSellRoutine>,
                           .library = kLibrary};
const Format kCusparseBsr{.name = kBsrRoutine.name,
                          .parameters = kBsrParameters,
                          .plans = plans<kBsrRoutine>,
                          .layout = cusparseBsrLayout,
                          .source = noSource,
                          .steps = steps<kBsrRoutine>,
                          .paddingReadsX = true,
                          .library = kLibrary};
const Format kCusparseOp{.name = kOpRoutine.name,
                         .parameters = {},
                         .plans = plans<kOpRoutine>,
                         .layout = cusparseCsrLayout,
                         .source = noSource,
                         .steps = steps<kOpRoutine>,
                         .isDeterministic = false,
                         .library = kLibrary};

} // namespace specmv
