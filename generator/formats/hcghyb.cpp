// HCGHYB on the host (AlAhmadi et al. 2020, section 8.1): HYB whose COO part is multiplied on the
// GPU and summed by row on the host, while the GPU goes on with the ELL part. K is HYB's.
#include "generator/formats.h"
#include "generator/shared/ell_part.h"
#include "generator/shared/gathers.h"
#include "generator/shared/hyb_thresholds.h"
#include "generator/shared/triplets.h"
#include "generator/shared/typed_array.h"
#include "generator/shared/walk.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/predict/traffic.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

namespace specmv {

// Entries a thread multiplies: 4 keep a dozen loads in flight.
constexpr int64_t kItemsPerThread = 4;
constexpr const char *kProductsName = "specmv_products";
constexpr const char *kAddName = "specmv_add";
constexpr const char *kTailPlanName = "kTailPlan";

// What the detour over the host costs.
constexpr Rate kHostLatencyUs{"hcghyb.hostLatencyUs",
                              "microseconds that two copies and a host function wait", 105};
constexpr Rate kHostSumBytesPerUs{"hcghyb.hostSumBytesPerUs",
                                  "bytes of products that the host's threads sum in a microsecond",
                                  1e4, kWideFit};
constexpr Rate kRates[] = {kHostLatencyUs, kHostSumBytesPerUs};
constexpr const PaceRates *kPaces[] = {&kHybPace};

// Rows with entries beyond the first k.
static int64_t tailRows(const SparsityProfile &p, int64_t k) {
  int64_t sum = 0;
  for (const LengthCount &l : p.lengths)
    sum += l.length > k ? l.rows : 0;
  return sum;
}

// The time to copy products to the host, sum them by row and copy the sums back, as far as it is
// longer than the ELL part, which runs at the same time.
static double hostUs(const PlanRequest &in, const Traffic &ell, int64_t tail, int64_t rows) {
  const auto v = static_cast<double>(sizeOf(in.problem.type));
  const double copied = v * static_cast<double>(tail + rows) / (in.gpu.pcieGBs * 1000);
  const double summed = v * static_cast<double>(tail) / in.gpu.rates[kHostSumBytesPerUs];
  return std::max(0.0, in.gpu.rates[kHostLatencyUs] + copied + summed - predictUs(ell, in.gpu));
}

static Plan planFor(const PlanRequest &in, int64_t k, int64_t tail) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "hcghyb", .integers = {{key::kHybK, k}, {key::kBlock, kBlockThreads}}};
  addIndexTypes(plan, p.rows, p.cols, k * ellStride(p.rows) + tail);
  return plan;
}

namespace {
// The tail: its entries, the rows that have some of them, and the slot of the first entry.
struct Tail {
  int64_t count = 0, rows = 0, firstSlot = 0;
};
} // namespace

static Fields productsFields(const Plan &plan, const Problem &problem, const Tail &tail) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return joined(
      {{array("col", column, tail.count, "tailCol")},
       valueFields(plan, problem, tail.firstSlot + tail.count),
       {fieldOfX(problem), scratch("products", value, tail.count),
        number("valBegin", offset, tail.firstSlot), number("count", offset, tail.count)}});
}

static Fields addFieldsOf(const Plan &plan, const Problem &problem, const Tail &tail) {
  const auto [value, offset, column] = typesOf(plan, problem);
  const Fields all = addedVectors(problem);
  return {array("row", offset, tail.rows), scratch("sums", value, tail.rows), all[1], all[2],
          number("count", offset, tail.rows, "tailRows")};
}

static Fields fieldsOf(const Plan &plan, const Problem &problem, int64_t rows, const Tail &tail) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return joined({ellFields(plan, problem, rows, plan.get(key::kHybK)),
                 productsFields(plan, problem, tail),
                 addFieldsOf(plan, problem, tail),
                 {hostArray("tailStart", offset, tail.rows + 1),
                  hostScratch("hostProducts", value, tail.count),
                  hostScratch("hostSums", value, tail.rows)}});
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const int64_t k = plan.get(key::kHybK), tail = tailEntries(p, k), rows = tailRows(p, k);
  const Types types = typesOf(plan, in.problem);
  const auto v = static_cast<int64_t>(sizeOf(types.value));
  Traffic t = ellTraffic(in, plan, k, p.nnz - tail);
  t.hostUs = hostUs(in, t, tail, rows);
  t.storedBytes =
      storedBytesOf(fieldsOf(plan, in.problem, p.rows, {tail, rows, ellSlots(p.rows, k)}));
  t.slots += tail;
  t.streamBytes += tail * (2 * v + static_cast<int64_t>(sizeOf(types.column))) +
                   rows * (static_cast<int64_t>(sizeOf(types.offset)) + 3 * v);
  t.gatherBytes += gatherBytesOf(in, tail);
  t.threads += ceilDiv(tail, kItemsPerThread) + rows;
  t.steps += tail;
  t.launches = 3;
  addWalk(t, in, {.pace = kHybPace});
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  std::string why;
  for (int64_t k : hybThresholds(in)) {
    const int64_t tail = tailEntries(in.profile, k);
    if (tail == 0)
      why = whyAllEll("hcghyb", k);
    else if (why = whyNotEll("hcghyb", in.profile, k); why.empty())
      out.push_back(planFor(in, k, tail));
  }
  return out.empty() ? why : "";
}

// Fills the list of rows that have a tail, and where the products of each begin.
template <class I>
static void fillTailRows(const CsrPattern<I> &a, int64_t k, LayoutArray &row, LayoutArray &start) {
  visitIntegers(row, [&](auto *rows) {
    visitIntegers(start, [&](auto *starts) {
      using Number = std::remove_pointer_t<decltype(rows)>;
      using Start = std::remove_pointer_t<decltype(starts)>;
      int64_t products = 0;
      for (int64_t i = 0; i < a.rows; ++i) {
        const int64_t count = a.rowPtr[i + 1] - a.rowPtr[i] - k;
        if (count <= 0)
          continue;
        *rows++ = static_cast<Number>(i);
        *starts++ = static_cast<Start>(products);
        products += count;
      }
      *starts = static_cast<Start>(products);
    });
  });
}

static int64_t tailRows(const CsrView &a, int64_t k) {
  return visitPattern(a, [&](auto p) {
    int64_t rows = 0;
    for (int64_t i = 0; i < p.rows; ++i)
      rows += p.rowPtr[i + 1] - p.rowPtr[i] > k;
    return rows;
  });
}

static llvm::Error check(const CsrView &a, const Plan &plan, int64_t ellPart, int64_t tail) {
  if (tail == 0)
    return fail(Status::notApplicable,
                "no row of the matrix has more than the plan's hyb.k = {0} entries, so no sums are "
                "left for the host; use ell, or a smaller hyb.k",
                plan.get(key::kHybK));
  if (ellPart + tail > kMaxSlots)
    return fail(Status::notApplicable, "hcghyb needs {0} slots for this matrix; the limit is {1}",
                ellPart + tail, kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols, ellPart + tail);
}

static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  const int64_t k = plan.get(key::kHybK);
  const Tail tail{tailEntries(a, k), tailRows(a, k), ellSlots(a.rows, k)};
  if (llvm::Error error = check(a, plan, tail.firstSlot, tail.count))
    return error;
  Layout out;
  addFields(out, fieldsOf(plan, problem, a.rows, tail));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packEll(a, k, *out.find("col"), out.slots);
  packTail(a, k, tail.firstSlot, nullptr, *out.find("tailCol"), out.slots);
  visitPattern(
      a, [&](auto pattern) { fillTailRows(pattern, k, *out.find("row"), *out.find("tailStart")); });
  return out;
}

// Products that are worth a thread's while: some 50 us of work against the 10 us or so that it
// takes to start one (estimates).
constexpr int64_t kProductsPerRange = 1 << 16;

// The sum of one row, in a fixed order with four chains that do not wait for each other.
template <class Value> static Value sumOf(const Value *products, int64_t count) {
  Value sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int64_t chain = 0; chain < 4; ++chain)
      sums[chain] += products[i + chain];
  for (; i < count; ++i)
    sums[0] += products[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Offset, class Value>
static void sumTyped(const Offset *start, int64_t rows, const Value *products, Value *sums) {
  const auto sumRange = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      sums[i] = sumOf(products + start[i], static_cast<int64_t>(start[i + 1] - start[i]));
  };
  const int64_t mean = std::max<int64_t>(1, static_cast<int64_t>(start[rows]) / rows);
  // A reference needs no memory, so that nothing here throws.
  parallelFor(rows, std::max<int64_t>(1, kProductsPerRange / mean), std::cref(sumRange));
}

// tailStart, hostProducts, hostSums.
static void sumRows(llvm::ArrayRef<HostArray> arrays) noexcept {
  const HostArray &start = arrays[0], &products = arrays[1], &sums = arrays[2];
  const auto sum = [&](auto *starts, auto *values) {
    sumTyped(starts, sums.count, values, sums.as<std::remove_pointer_t<decltype(values)>>());
  };
  const auto sumFrom = [&](auto *starts) {
    products.type == ElementType::f32 ? sum(starts, products.as<float>())
                                      : sum(starts, products.as<double>());
  };
  start.type == ElementType::i32 ? sumFrom(start.as<int32_t>()) : sumFrom(start.as<int64_t>());
}

static Kernel productsKernel(const Plan &plan, const Problem &problem) {
  return {.name = kProductsName,
          .function = "hcghybProducts",
          .plan = kTailPlanName,
          .args = "HcghybProductsArgs",
          .types = {},
          .blockThreads = plan.get(key::kBlock),
          .arguments = argumentsOf(productsFields(plan, problem, {})),
          .operands = operandsOfAdding(plan, problem)};
}

static Kernel addKernel(const Plan &plan, const Problem &problem) {
  return {.name = kAddName,
          .function = "hcghybAdd",
          .plan = kTailPlanName,
          .args = "HcghybAddArgs",
          .types = {},
          .blockThreads = plan.get(key::kBlock),
          .arguments = argumentsOf(addFieldsOf(plan, problem, {})),
          .operands = operandsOfAdding(plan, problem)};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant tail{
      kTailPlanName,
      "HcghybPlan",
      {{"blockThreads", plan.get(key::kBlock)}, {"itemsPerThread", kItemsPerThread}}};
  return emit(plan, problem, {"ell.cuh", "hcghyb.cuh"},
              {ellConstant(plan, problem, plan.get(key::kHybK)), tail},
              {ellKernel(plan, problem), productsKernel(plan, problem), addKernel(plan, problem)});
}

// The tail's products come first, so that they are copied to the host while ELL multiplies. The
// next multiplication begins after this one's last step, which adds the sums, so it cannot
// overwrite anything that is still to be read.
static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  using Direction = Copy::Direction;
  const int64_t block = plan.get(key::kBlock);
  Steps out = {launchOf(productsKernel(plan, problem),
                        ceilDiv(layout.integer("count"), block * kItemsPerThread)),
               {Copy{Direction::toHost, "products", "hostProducts"}, StepStream::side, {0}},
               {HostFunction{"sumRows", sumRows, {"tailStart", "hostProducts", "hostSums"}},
                StepStream::side},
               {Copy{Direction::toDevice, "sums", "hostSums"}, StepStream::side}};
  addEllLaunch(out, plan, problem, layout);
  Step add = launchOf(addKernel(plan, problem), ceilDiv(layout.integer("tailRows"), block));
  add.after = {3};
  out.push_back(std::move(add));
  return out;
}

static std::string gist(const Plan &plan) {
  return llvm::formatv("the GPU sums the first {0} entries of each row, the host those beyond",
                       plan.get(key::kHybK));
}

constexpr Parameter kParameters[] = {kThresholdParameter, kBlockParameter};
const Format kHcghyb{.name = "hcghyb",
                     .parameters = kParameters,
                     .offer = offer,
                     .traffic = traffic,
                     .pack = pack,
                     .source = source,
                     .steps = steps,
                     .gist = gist,
                     .rates = kRates,
                     .paces = kPaces,
                     .mixesTypes = false};

} // namespace specmv
