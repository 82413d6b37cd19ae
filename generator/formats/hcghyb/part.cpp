// The tail of HCGHYB on the host: its arrays, its steps, and the sums of its rows.
#include "generator/formats/hcghyb/part.h"

#include "generator/formats/coo/part.h"
#include "generator/shared/gathers.h"
#include "generator/shared/typed_array.h"
#include "models/base/parallel.h"
#include "models/predict/traffic.h"

#include <functional>

namespace specmv {

// Entries a thread multiplies: 4 keep a dozen loads in flight.
constexpr int64_t kItemsOfThread = 4;
constexpr const char *kProductsName = "specmv_products";
constexpr const char *kAddName = "specmv_add";
constexpr const char *kTailPlanName = "kTailPlan";

static int64_t hostSumSlots(const Share &share) { return share.entries; }

static Fields productsFields(const Plan &plan, const Problem &problem, const Share &share) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return joined(
      {{array("col", column, share.entries, share.col)},
       valueFields(plan, problem, share.firstSlot + share.entries),
       {fieldOfX(problem), scratch("products", value, share.entries),
        number("valBegin", offset, share.firstSlot), number("count", offset, share.entries)}});
}

static Fields addFieldsOf(const Plan &plan, const Problem &problem, const Share &share) {
  const auto [value, offset, column] = typesOf(plan, problem);
  const Fields all = addedVectors(problem);
  return {array("row", offset, share.rowsInUse), scratch("sums", value, share.rowsInUse), all[1],
          all[2], number("count", offset, share.rowsInUse, "tailRows")};
}

static Fields hostSumFields(const Plan &plan, const Problem &problem, const Share &share) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return joined({productsFields(plan, problem, share),
                 addFieldsOf(plan, problem, share),
                 {hostArray("tailStart", offset, share.rowsInUse + 1)}});
}

static PlanConstant hostSumConstant(const Plan &plan, const Problem & /*problem*/,
                                    const Share & /*share*/) {
  return {kTailPlanName,
          "HcghybPlan",
          {{"blockThreads", plan.get(key::kBlock)}, {"itemsPerThread", kItemsOfThread}}};
}

static std::vector<Kernel> hostSumKernels(const Plan &plan, const Problem &problem,
                                          const Share &share) {
  const Kernel products{.name = kProductsName,
                        .function = "hcghybProducts",
                        .plan = kTailPlanName,
                        .args = "HcghybProductsArgs",
                        .types = {},
                        .blockThreads = plan.get(key::kBlock),
                        .arguments = argumentsOf(productsFields(plan, problem, share)),
                        .operands = operandsOf(plan, problem, OnY::nothing),
                        .onY = OnY::nothing};
  Kernel add = products;
  add.name = kAddName;
  add.function = "hcghybAdd";
  add.args = "HcghybAddArgs";
  add.arguments = argumentsOf(addFieldsOf(plan, problem, share));
  add.onY = OnY::adds;
  return {products, add};
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

static void packHostSums(const CsrView &a, const Plan & /*plan*/, const Share &share, Layout &out) {
  packTriplets(a, share, nullptr, out);
  visitPattern(a, [&](auto pattern) {
    fillTailRows(pattern, share.first, *out.find("row"), *out.find("tailStart"));
  });
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

// The sum of the products of each row; `starts` says where these begin.
static void sumRows(const HostArray &starts, const HostArray &products,
                    const HostArray &sums) noexcept {
  const auto sum = [&](auto *start, auto *values) {
    sumTyped(start, sums.count, values, sums.as<std::remove_pointer_t<decltype(values)>>());
  };
  const auto sumFrom = [&](auto *start) {
    products.type == ElementType::f32 ? sum(start, products.as<float>())
                                      : sum(start, products.as<double>());
  };
  starts.type == ElementType::i32 ? sumFrom(starts.as<int32_t>()) : sumFrom(starts.as<int64_t>());
}

// The host sums the products while the head multiplies. The next multiplication begins after the
// last step of this one, which adds the sums, so it cannot overwrite anything that is still to be
// read.
static void addProductSteps(Steps &out, const Plan &plan, const Problem &problem,
                            const Layout &layout, const Share &share) {
  out.push_back(launchOf(hostSumKernels(plan, problem, share)[0],
                         ceilDiv(layout.integer("count"), plan.get(key::kBlock) * kItemsOfThread)));
  out.push_back({HostDetour{"sumRows", sumRows, "tailStart", "products", "sums"}});
}

static void addSumSteps(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                        const Share &share) {
  out.push_back(launchOf(hostSumKernels(plan, problem, share)[1],
                         ceilDiv(layout.integer("tailRows"), plan.get(key::kBlock))));
  out.back().waitsForHost = true;
}

// The time to copy products to the host, sum them by row and copy the sums back, as far as it is
// longer than the head, which runs at the same time.
static double hostUs(const PlanRequest &in, const Traffic &head, const Share &share) {
  const auto v = static_cast<double>(sizeOf(in.problem.type));
  const double copied =
      v * static_cast<double>(share.entries + share.rowsInUse) / (in.gpu.pcieGBs * 1000);
  const double summed = v * static_cast<double>(share.entries) / in.gpu.rates[kHostSumBytesPerUs];
  return std::max(0.0, in.gpu.rates[kHostLatencyUs] + copied + summed - predictUs(head, in.gpu));
}

static void addHostSumTraffic(Traffic &t, const PlanRequest &in, const Plan &plan,
                              const Share &share) {
  const Types types = typesOf(plan, in.problem);
  const int64_t entries = share.entries, rows = share.rowsInUse;
  const auto v = static_cast<int64_t>(sizeOf(types.value));
  t.hostUs += hostUs(in, t, share);
  t.storedBytes +=
      storedBytesOf(hostSumFields(plan, in.problem, {.entries = entries, .rowsInUse = rows}));
  t.slots += entries;
  t.streamBytes += entries * (2 * v + static_cast<int64_t>(sizeOf(types.column))) +
                   rows * (static_cast<int64_t>(sizeOf(types.offset)) + 3 * v);
  t.gatherBytes += gatherBytesOf(in, entries);
  t.threads += ceilDiv(entries, kItemsOfThread) + rows;
  t.steps += entries;
  t.launches += 2;
}

const Part kHostSumPart{.header = "hcghyb.cuh",
                        .onY = OnY::adds,
                        .slots = hostSumSlots,
                        .fields = hostSumFields,
                        .constant = hostSumConstant,
                        .kernels = hostSumKernels,
                        .addSteps = addSumSteps,
                        .addFirstSteps = addProductSteps,
                        .pack = packHostSums,
                        .addTraffic = addHostSumTraffic};

} // namespace specmv
