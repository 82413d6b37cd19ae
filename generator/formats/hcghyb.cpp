// HCGHYB on the host (AlAhmadi et al. 2020, section 8.1): HYB whose COO part is multiplied on the
// GPU and summed by row on the host, while the GPU goes on with the ELL part. K is HYB's.
#include "generator/formats.h"
#include "generator/shared/ell_part.h"
#include "generator/shared/gathers.h"
#include "generator/shared/hyb_thresholds.h"
#include "generator/shared/triplets.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/predict/traffic.h"

#include <numeric>

namespace specmv {

// Entries a thread multiplies: 4 keep a dozen loads in flight.
constexpr int64_t kItemsPerThread = 4;
constexpr const char *kProductsName = "specmv_products";
constexpr const char *kAddName = "specmv_add";
constexpr const char *kTailPlanName = "kTailPlan";

// What the way over the host costs, estimates: the latencies of two copies and a host function, and
// the bytes of products that its threads sum in a microsecond.
constexpr double kHostLatencyUs = 30;
constexpr double kHostSumBytesPerUs = 10000;

// Rows with entries beyond the first k.
static int64_t tailRows(const SparsityProfile &p, int64_t k) {
  int64_t sum = 0;
  for (const LengthCount &l : p.lengths)
    sum += l.length > k ? l.rows : 0;
  return sum;
}

// Products to the host, their sums by row and these back: what of it the ELL part does not cover.
static double hostUs(const PlanRequest &in, const Traffic &ell, int64_t tail, int64_t rows) {
  const auto v = static_cast<double>(sizeOf(in.problem.type));
  const double copied = v * static_cast<double>(tail + rows) / (in.gpu.pcieGBs * 1000);
  const double summed = v * static_cast<double>(tail) / kHostSumBytesPerUs;
  return std::max(0.0, kHostLatencyUs + copied + summed - predictUs(ell, in.gpu));
}

static Plan planFor(const PlanRequest &in, int64_t k, int64_t tail) {
  const SparsityProfile &p = in.profile;
  Plan plan{.format = "hcghyb", .integers = {{"hyb.k", k}, {"block", kBlockThreads}}};
  addIndexTypes(plan, p.rows, p.cols, k * ellStride(p.rows) + tail);
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const auto offset = static_cast<int64_t>(sizeOf(indexTypesOf(plan).offset));
  const auto column = static_cast<int64_t>(sizeOf(indexTypesOf(plan).column));
  const int64_t rows = tailRows(p, k);
  Traffic &t = plan.traffic = ellTraffic(in, plan, k, p.nnz - tail);
  t.hostUs = hostUs(in, t, tail, rows);
  // Entries, rows with sums, and on the host where the products of each row begin.
  t.storedBytes += tail * (v + column) + rows * offset + (rows + 1) * offset;
  t.streamBytes += tail * (2 * v + column) + rows * (offset + 3 * v);
  t.gatherBytes += gatherBytesOf(p, in.problem.type, tail);
  t.threads += ceilDiv(tail, kItemsPerThread) + rows;
  t.steps += tail;
  t.launches = 3;
  return plan;
}

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  std::string why;
  for (int64_t k : hybThresholds(in)) {
    if (k < 0)
      return llvm::formatv("hyb.k = {0} is negative", k);
    const int64_t tail = tailEntries(in.profile, k);
    if (tail == 0)
      why = whyAllEll("hcghyb", k);
    else if (why = whyNotEll("hcghyb", in.profile, k); why.empty())
      out.push_back(planFor(in, k, tail));
  }
  return out.empty() ? why : "";
}

// The rows that have a tail, and where the entries of each begin, from the row of every entry.
static void addTailRows(const LayoutArray &rowOfEntry, Layout &out) {
  std::vector<int64_t> rows, start;
  LayoutArray entries = rowOfEntry;
  visitIntegers(entries, [&](auto *row) {
    for (int64_t e = 0; e < entries.count(); ++e)
      if (e == 0 || row[e] != row[e - 1]) {
        rows.push_back(static_cast<int64_t>(row[e]));
        start.push_back(e);
      }
  });
  start.push_back(entries.count());
  out.add("row", entries.type, std::ssize(rows));
  copyIndices(*out.find("row"), rows.data(), std::ssize(rows));
  out.addHostArray("tailStart", entries.type, std::ssize(start));
  copyIndices(*out.find("tailStart"), start.data(), std::ssize(start));
  out.integers.emplace_back("tailRows", std::ssize(rows));
}

constexpr PlanNumber kNumbers[] = {{"hyb.k", 0, kMaxSlots}, kBlockNumber};

static llvm::Error check(const CsrView &a, const Plan &plan, int64_t ellPart, int64_t tail) {
  if (tail == 0)
    return fail(Status::notApplicable, "the matrix has no entries beyond hyb.k = {0}",
                plan.get("hyb.k"));
  if (ellPart + tail > kMaxSlots)
    return fail(Status::notApplicable, "{0} slots exceed {1}", ellPart + tail, kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols, ellPart + tail);
}

static llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkNumbers(plan, kNumbers))
    return error;
  const int64_t k = plan.get("hyb.k"), tail = tailEntries(a, k);
  const int64_t ellPart = ellSlots(a.rows, k);
  if (llvm::Error error = check(a, plan, ellPart, tail))
    return error;
  const auto [offset, column] = indexTypesOf(plan);
  const ElementType value = elementOf(problem.type);
  Layout out, triplets;
  out.add("col", column, ellPart);
  out.add("val", value, ellPart + tail);
  out.add("tailCol", column, tail);
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packEll(a, k, *out.find("col"), out.slots);
  triplets.add("row", offset, tail);
  packTail(a, k, ellPart, *triplets.find("row"), *out.find("tailCol"), out.slots);
  out.integers = {
      {"rows", a.rows}, {"stride", ellStride(a.rows)}, {"valBegin", ellPart}, {"count", tail}};
  addTailRows(*triplets.find("row"), out);
  for (const auto &[name, count] : {std::pair{"products", tail}, {"sums", out.integer("tailRows")}})
    out.addScratch(name, value, count);
  out.addHostScratch("hostProducts", value, tail);
  out.addHostScratch("hostSums", value, out.integer("tailRows"));
  storeValues(out, a);
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
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  return {.name = kProductsName,
          .function = "hcghybProducts",
          .plan = kTailPlanName,
          .args = "HcghybProductsArgs",
          .types = {value, offset, column},
          .blockThreads = plan.get("block"),
          .arguments = {{"col", Binding::array, column, "tailCol"},
                        {"val", Binding::array, value},
                        {"x", Binding::x, value},
                        {"products", Binding::scratch, value},
                        {"valBegin", Binding::integer, offset},
                        {"count", Binding::integer, offset}}};
}

static Kernel addKernel(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type), offset = indexTypesOf(plan).offset;
  return {.name = kAddName,
          .function = "hcghybAdd",
          .plan = kTailPlanName,
          .args = "HcghybAddArgs",
          .types = {value, offset},
          .blockThreads = plan.get("block"),
          .arguments = {{"row", Binding::array, offset},
                        {"sums", Binding::scratch, value},
                        {"y", Binding::y, value},
                        {"alpha", Binding::alpha, value},
                        {"count", Binding::integer, offset, "tailRows"}}};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant tail{
      kTailPlanName,
      "HcghybPlan",
      {{"blockThreads", plan.get("block")}, {"itemsPerThread", kItemsPerThread}}};
  return emit(plan, problem, {"ell.cuh", "hcghyb.cuh"},
              {ellConstant(plan, problem, plan.get("hyb.k")), tail},
              {ellKernel(plan, problem), productsKernel(plan, problem), addKernel(plan, problem)});
}

// The products first, so that they are on their way to the host while ELL multiplies; the next
// product's begin behind the adding, when nothing of this one is left to be read.
static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  using Direction = Copy::Direction;
  const int64_t block = plan.get("block");
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

static constexpr FormatParameter kParameters[] = {{"hyb.k"}};
const Format kHcghyb{"hcghyb", kParameters, plans, layout, source, steps};

} // namespace specmv
