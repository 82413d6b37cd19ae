// JAD on the host (the statistics paper's JAD, section 2): rows are sorted by descending length,
// and diagonal k has entry k of each row that is long enough. Each diagonal is padded to whole
// warps.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/shared/gathers.h"
#include "generator/shared/padded.h"
#include "generator/shared/rows_by_length.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"

namespace specmv {

// More diagonals than this are refused, since one thread goes through all of them: 0.8 ms at the 51
// ns that an entry takes in ELL's loop on an H200.
constexpr int64_t kMostDiagonals = 16384;

// Share of ELL's rate that JAD reaches if nothing else limits it: each batch waits for the starts
// of its diagonals, which are in L1.
constexpr const char *kEfficiency = "jad.efficiency";
constexpr const char *kRates[] = {kEfficiency};

// A diagonal has a whole number of warps of slots, so that each diagonal begins aligned.
static int64_t slotsOfDiagonal(int64_t rows) { return roundUp(rows, 32); }

// Elements of jdPtr, with those beyond the last diagonal's end that the last batch may read.
static int64_t startsOf(int64_t diagonals) {
  return diagonals / kPaddedBatch * kPaddedBatch + kPaddedBatch + 2;
}

static std::string whyTooLong(int64_t diagonals) {
  if (diagonals <= kMostDiagonals)
    return "";
  return llvm::formatv("jad would have {0} diagonals, one for each entry of the longest row; the "
                       "limit is {1} (csr-merge has none)",
                       diagonals, kMostDiagonals);
}

static int64_t slotsOf(const SparsityProfile &p) {
  int64_t slots = 0, longer = p.rows, length = 0;
  for (const LengthCount &l : p.lengths) {
    slots += (l.length - length) * slotsOfDiagonal(longer);
    longer -= l.rows;
    length = l.length;
  }
  return slots;
}

namespace {
struct Shape {
  int64_t rows = 0, diagonals = 0, slots = 0;
};
} // namespace

static Shape shapeOf(const SparsityProfile &p) { return {p.rows, longestRow(p), slotsOf(p)}; }

static Fields fieldsOf(const Plan &plan, const Problem &problem, const Shape &shape) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return joined({{array("jdPtr", offset, startsOf(shape.diagonals)),
                  array("col", column, shape.slots), array("val", value, shape.slots)},
                 vectors(value),
                 {number("rows", offset, shape.rows), array("perm", offset, shape.rows)}});
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  Traffic t;
  t.storedBytes = storedBytesOf(fieldsOf(plan, in.problem, shapeOf(p)));
  t.streamBytes = t.storedBytes + p.rows * static_cast<int64_t>(sizeOf(in.problem.type));
  t.gatherBytes = gatherBytes(in) + sortedGatherBytes(p, p.rows);
  t.threads = p.rows;
  t.dependentLoads = 1; // the begins of diagonals
  const double perBatch = in.gpu.rates[kPassesPerBatch];
  for (const LengthCount &l : p.lengths)
    t.steps += l.rows * paddedPasses(l.length, perBatch);
  t.longestChain = paddedPasses(longestRow(p), perBatch);
  t.efficiency = in.gpu.rates[kEfficiency];
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  if (std::string why = whyTooLong(longestRow(p)); !why.empty())
    return why;
  const int64_t slots = slotsOf(p);
  if (slots > kMaxSlots)
    return llvm::formatv("jad needs {0} slots; the limit is {1}", slots, kMaxSlots);
  Plan plan{.format = "jad", .integers = {{"block", kBlockThreads}}};
  // A thread adds its place to a diagonal's start before it knows whether its row reaches that
  // diagonal, so the sum can be up to `rows` beyond the slots.
  addIndexTypes(plan, p.rows, p.cols, slots + p.rows);
  out.push_back(std::move(plan));
  return "";
}

// The first slot of each diagonal, and then the end of the last one up to the length of jdPtr.
static std::vector<int64_t> diagonalStarts(const CsrView &a, const std::vector<int64_t> &order) {
  return visitPattern(a, [&](auto p) {
    auto lengthAt = [&](int64_t place) {
      const int64_t row = order[static_cast<size_t>(place)];
      return static_cast<int64_t>(p.rowPtr[row + 1] - p.rowPtr[row]);
    };
    std::vector<int64_t> start{0};
    int64_t rows = p.rows; // that are longer than k
    for (int64_t k = 0; rows > 0; ++k) {
      while (rows > 0 && lengthAt(rows - 1) <= k)
        --rows;
      if (rows > 0)
        start.push_back(start.back() + slotsOfDiagonal(rows));
    }
    const int64_t diagonals = static_cast<int64_t>(start.size()) - 1;
    start.resize(static_cast<size_t>(startsOf(diagonals)), start.back());
    return start;
  });
}

static void fill(const CsrView &a, const std::vector<int64_t> &order,
                 const std::vector<int64_t> &start, Layout &out) {
  copyIndices(*out.find("jdPtr"), start.data(), static_cast<int64_t>(start.size()));
  copyIndices(*out.find("perm"), order.data(), a.rows);
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packPadded(
      a, a.nnz, *out.find("col"), out.slots,
      [&](int64_t place) { return order[static_cast<size_t>(place)]; },
      [&](int64_t place, int64_t k) { return start[static_cast<size_t>(k)] + place; });
  storeValues(out, a);
}

static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (const std::string why = whyTooLong(longestRow(a)); !why.empty())
    return fail(Status::notApplicable, "{0}", why);
  const std::vector<int64_t> order = rowsByLength(a, a.rows);
  const std::vector<int64_t> start = diagonalStarts(a, order);
  if (start.back() > kMaxSlots)
    return fail(Status::notApplicable, "jad needs {0} slots for this matrix; the limit is {1}",
                start.back(), kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, start.back() + a.rows))
    return error;
  const Shape shape{a.rows, longestRow(a), start.back()};
  Layout out;
  addFields(out, fieldsOf(plan, problem, shape));
  fill(a, order, start, out);
  return out;
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  return mainKernel("jad", "JadArgs", plan, problem, fieldsOf(plan, problem, {}));
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "JadPlan",
                              {{"blockThreads", plan.get("block")},
                               {"batch", kPaddedBatch},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"jad.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t blocks = ceilDiv(layout.integer("rows"), plan.get("block"));
  return launchOnly(kernelOf(plan, problem), blocks);
}

constexpr Parameter kParameters[] = {kBlockParameter};
const Format kJad{.name = "jad",
                  .parameters = kParameters,
                  .offer = offer,
                  .traffic = traffic,
                  .pack = pack,
                  .source = source,
                  .steps = steps,
                  .rates = kRates};

} // namespace specmv
