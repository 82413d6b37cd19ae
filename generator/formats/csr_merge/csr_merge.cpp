// Merge-path CSR on the host (Merrill and Garland 2016). The items of a matrix are its entries and
// the ends of its rows; each thread of the kernel gets equally many. Packing finds once where a
// thread's items begin and which of them are ends of rows, so products need no search.
#include "generator/formats.h"
#include "generator/formats/csr_merge/layout.h"
#include "generator/formats/csr_merge/packing.h"
#include "generator/setup/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/open_rows.h"
#include "generator/shared/padded.h"
#include "generator/shared/several.h"
#include "generator/shared/walk.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// Items of a thread, for the plans that are offered. They are odd, so that the lanes of a warp read
// different banks of shared memory. With 7 items, enough loads are in flight and a small matrix has
// enough threads. With 15, twice as many items share the cost of the sums between threads.
constexpr int64_t kItems[] = {7, 15};
constexpr PaceRates kPace("csr-merge");
constexpr const PaceRates *kPaces[] = {&kPace};
constexpr Rate kSumsPasses{"csr-merge.sumsPasses",
                           "passes of CSR-vector's loop that the sums over lanes, warps and blocks "
                           "add to the longest chain",
                           6, kNoFit};
// With 15 items there are fewer blocks, so the last one ends later; but more loads are in flight,
// which helps in double.
constexpr Rate kWide[] = {
    {"csr-merge.wideF32", "factor on a product in f32 with 15 items a thread", 1.05},
    {"csr-merge.wideF64", "factor on a product in f64 with 15 items a thread", 0.95}};
constexpr Rate kRates[] = {kSumsPasses, kWide[0], kWide[1]};
constexpr PlanPattern kOfOthers[] = {{"csr-merge merge.items={7,21} merge.threads=32"},
                                     {"csr-merge merge.items={7,15} merge.threads=256"}};
constexpr PlanPattern kStandard[] = {
    {"csr-merge merge.items={7,15} merge.threads=256"},
    {"csr-merge merge.items={7,15} merge.threads=256 offset=32 column=64"}}; // in place
// Items and threads of the plans for several vectors. A block of their kernel adds up the partial
// sums that are left at the ends of threads; few threads with many items leave few of them.
constexpr int64_t kItemsOfSeveral[] = {7, 21}, kThreadsOfSeveral = 32;
// An SM must hold this many threads, so that a thread has 64 registers, enough to keep the loads of
// 15 items in flight. Without this number ptxas spills instead of using more than 32.
constexpr int64_t kThreadsPerSm = 1024;
constexpr Parameter kParameters[] = {{.name = key::kMergeItems.name,
                                      .least = 1,
                                      .most = 21, // bits and 31 x 21 rows fit 31 bits
                                      .isSettable = true,
                                      .tried = {1, 8, 21}},
                                     {.name = key::kMergeThreads.name,
                                      .least = 32,
                                      .most = 256, // x 21 doubles fit 48 KB of shared memory
                                      .isPowerOfTwo = true,
                                      .isSettable = true,
                                      .tried = {32, 128}}};

static Plan planOf(const MatrixSize &size, int64_t items, int64_t threads) {
  Plan plan{.format = "csr-merge",
            .integers = {{key::kMergeItems, items}, {key::kMergeThreads, threads}}};
  addIndexTypes(plan, size.rows, size.cols, size.rows + size.nnz);
  return plan;
}

static Plan planFor(const PlanRequest &in, int64_t items) {
  const SparsityProfile &p = in.profile;
  return planOf({p.rows, p.cols, p.nnz}, items,
                fixedOr(in.fixed, key::kMergeThreads,
                        in.problem.vectors == 1 ? kBlockThreads : kThreadsOfSeveral));
}

// The kernel reads the caller's columns. Plans with more items a thread come first if their threads
// still fill the GPU.
static std::vector<Plan> plansInPlace(const DeviceCsr &csr, const GpuModel &gpu) {
  std::vector<Plan> out;
  for (int64_t items : kItems) {
    out.push_back(planOf(csr, items, kBlockThreads));
    out.back().set(key::kColumn, csr.indexType == IndexType::i64 ? 64 : 32);
  }
  if (csr.rows + csr.nnz >= kItems[1] * kThreadsPerSm * gpu.sms)
    std::swap(out[0], out[1]);
  return out;
}

static Fields fieldsInPlace(const MatrixSize &a, const Plan &plan, const Problem &problem) {
  return csrMergeFields(plan, problem, a.rows, a.nnz);
}

constexpr InPlace kInPlace{plansInPlace, csrMergePackSource, packCsrMergeInPlace, fieldsInPlace};

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  const MergeShape shape(plan, p.rows, p.nnz);
  const int64_t passes = paddedPasses(shape.items, rates[kPassesPerBatch]);
  Traffic t;
  t.threads = shape.blocks * shape.threads;
  t.threadsPerSm = kThreadsPerSm;
  t.storedBytes = storedBytesOf(csrMergeFields(plan, in.problem, p.rows, p.nnz));
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.steps = t.threads * passes;
  t.longestChain = passes + static_cast<int64_t>(rates[kSumsPasses]) +
                   openRowChain(longestRow(p), shape.blockItems(), in.gpu);
  constexpr double kBlocksPerSm = 5;
  const double shared = static_cast<double>(shape.blockItems()) *
                            static_cast<double>(sizeOf(vectorTypeOf(in.problem))) +
                        2048;
  constexpr double kSharedOfSm = 228e3;
  const double mean = static_cast<double>(p.nnz) / static_cast<double>(std::max<Count>(1, p.rows));
  addWalk(t, in,
          {.pace = kPace,
           .moreItems = p.rows, // the ends of rows
           .blockRows = static_cast<double>(shape.blockItems()) / (1 + mean),
           .blocksPerSm = kBlocksPerSm,
           .sharedBytesPerSm = shared * std::min(kBlocksPerSm, kSharedOfSm / shared),
           .rowsAtOnce = 32 * rowsNotEmpty(p) / static_cast<double>(std::max<Count>(1, p.nnz)),
           .passes = shape.items < kItems[1] || in.problem.vectors > 1
                         ? 1
                         : rates[kWide[vectorTypeOf(in.problem) == ValueType::f64]]});
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  for (int64_t items : in.problem.vectors == 1 ? kItems : kItemsOfSeveral) {
    out.push_back(planFor(in, fixedOr(in.fixed, key::kMergeItems, items)));
    if (isFixed(in.fixed, key::kMergeItems))
      break;
  }
  return "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  return {.name = kKernelName,
          .function = "csrMerge",
          .plan = kPlanName,
          .args = "CsrMergeArgs",
          .types = {MergeShape(plan, 0, 0).path()},
          .blockThreads = plan.get(key::kMergeThreads),
          .arguments = argumentsOf(csrMergeFields(plan, problem, 0, 0)),
          .blocksPerSm = std::min<int64_t>(16, kThreadsPerSm / plan.get(key::kMergeThreads)),
          .operands = operandsOf(plan, problem),
          .leavesL1 = true};
}

// For several vectors, each thread of the plan becomes a team. With this many threads of an SM, a
// thread has enough registers to keep the rows of X of a batch of items in flight. Without this
// number ptxas spills.
constexpr int64_t kThreadsPerSmOfSeveral = 768;
static SeveralKernel severalKernel(const Plan &plan, const Problem &problem) {
  const int64_t threads = plan.get(key::kMergeThreads) * teamOf(problem);
  return {"csrMergeSeveral", threads, std::max<int64_t>(1, kThreadsPerSmOfSeveral / threads)};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "CsrMergePlan",
                              {{"blockThreads", plan.get(key::kMergeThreads)},
                               {"itemsPerThread", plan.get(key::kMergeItems)},
                               {"readsY", problem.betaCanBeNonZero}}};
  const char *header = problem.vectors == 1 ? "csr_merge.cuh" : "csr_merge_several.cuh";
  return emit(plan, problem, {header}, {constant},
              kernelsFor(kernelOf(plan, problem), problem, severalKernel(plan, problem)));
}

static int64_t blocksOf(const Problem &problem, const Layout &layout) {
  return layout.find("arrivals")->count() / problem.vectors; // each vector has its own
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  return launchOnly(kernelOf(plan, problem), blocksOf(problem, layout));
}

static std::string whyNotSeveral(const Plan &plan, const Problem &problem) {
  const int64_t threads = plan.get(key::kMergeThreads);
  return threads == kThreadsOfSeveral
             ? ""
             : llvm::formatv("merge.threads = {0} must be {1} for {2} vectors", threads,
                             kThreadsOfSeveral, problem.vectors)
                   .str();
}

static Steps stepsOfSeveral(const Plan &plan, const Problem &problem, const Layout &layout) {
  return severalSteps(kernelOf(plan, problem), problem, blocksOf(problem, layout),
                      severalKernel(plan, problem));
}

constexpr Several kSeveral{whyNotSeveral, stepsOfSeveral};

static std::string gist(const Plan &plan) {
  return llvm::formatv("each thread takes {0} entries and ends of rows, however long the rows are",
                       plan.get(key::kMergeItems));
}

const Format kCsrMerge{.name = "csr-merge",
                       .parameters = kParameters,
                       .offer = offer,
                       .traffic = traffic,
                       .pack = csrMergeLayout,
                       .source = source,
                       .steps = steps,
                       .gist = gist,
                       .rates = kRates,
                       .paces = kPaces,
                       .standard = kStandard,
                       .standardOfOthers = kOfOthers,
                       .fuses = Fuses::rowsAndX,
                       .packing = &kCsrMergePacking,
                       .inPlace = &kInPlace,
                       .several = &kSeveral};

} // namespace specmv
