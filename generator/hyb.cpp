// HYB on the host: the first K entries of each row in ELL, the rest in COO (Bell and Garland); K is
// the PMF paper's (Algorithm 2), or what moves the fewest bytes, or fixed.
#include "generator/ell_pack.h"
#include "generator/formats.h"
#include "generator/traffic_of.h"
#include "models/error.h"
#include "models/pmf.h"

namespace specmv {

// Entries a thread of the COO kernel takes: 8 keep its loads in flight, and give a block of 256
// threads 2,048 entries for the one partial sum at each of its ends.
constexpr int64_t kItemsPerThread = 8;
// What the tail adds to the longest chain, in passes of CSR-vector's loop: sums of runs in the
// warp, the block and the last block, and the memory fences between them (8 us on an H200).
constexpr int64_t kTailChain = 94;
constexpr const char *kTailName = "specmv_tail";
constexpr const char *kTailPlanName = "kTailPlan";

// Entries beyond the first k of their row.
static int64_t tailEntries(const SparsityProfile &p, int64_t k) {
  int64_t sum = 0;
  for (const LengthCount &l : p.lengths)
    sum += l.rows * std::max<int64_t>(0, l.length - k);
  return sum;
}

// The k with the fewest bytes: a further column costs every row a slot of v + 4 bytes and spares
// each longer row an entry of v + 8, so it pays while at least that share of rows is longer.
static int64_t kOfFewestBytes(const SparsityProfile &p, ValueType type) {
  const auto v = static_cast<int64_t>(sizeOf(type));
  int64_t k = 0, longer = p.rows;
  for (const LengthCount &l : p.lengths) {
    if (longer * (v + 8) < p.rows * (v + 4))
      break;
    k = l.length;
    longer -= l.rows;
  }
  return k;
}

static Plan planFor(const PlanRequest &in, int64_t k) {
  const SparsityProfile &p = in.profile;
  const int64_t tail = tailEntries(p, k);
  Plan plan{.format = "hyb",
            .integers = {{"hyb.k", k}, {"block", kBlockThreads}, {"tail", tail > 0}}};
  addIndexTypes(plan, p.rows, p.cols, k * ellStride(p.rows) + tail);
  Traffic &t = plan.traffic = ellTraffic(in, plan, k, p.nnz - tail);
  if (tail == 0)
    return plan;
  const auto [offset, column] = indexTypesOf(plan);
  const auto bytes =
      static_cast<int64_t>(sizeOf(in.problem.type) + sizeOf(offset) + sizeOf(column));
  const int64_t items = kItemsPerThread;
  t.storedBytes += tail * bytes;
  t.streamBytes += tail * bytes;
  t.gatherBytes += gatherBytesOf(p, in.problem.type, tail);
  t.threads += roundUp(ceilDiv(tail, items), kBlockThreads);
  t.steps += tail;
  t.longestChain += kTailChain + ceilDiv(2 * ceilDiv(tail, items * kBlockThreads), 32);
  t.launches = 2;
  return plan;
}

static std::string plans(const PlanRequest &in, std::vector<Plan> &out) {
  const SparsityProfile &p = in.profile;
  std::vector<int64_t> candidates;
  if (isFixed(in.fixed, "hyb.k")) {
    candidates = {fixedOr(in.fixed, "hyb.k", 0)};
  } else {
    const PmfInput pmf{p.lengths, p.rows, p.cols, in.problem.type};
    candidates = {pmfHybKOnDevice(pmf, in.gpu)};
    const int64_t fewest = kOfFewestBytes(p, in.problem.type);
    if (fewest != candidates.front())
      candidates.push_back(fewest);
  }
  std::string why;
  for (int64_t k : candidates) {
    if (k < 0)
      return llvm::formatv("hyb.k = {0} is negative", k);
    if (why = whyNotEll("hyb", p, k); why.empty())
      out.push_back(planFor(in, k));
  }
  return out.empty() ? why : "";
}

// The entries beyond the first k of each row as triplets, in the order of the matrix.
template <class Offset, class Column, class I>
static void packTail(const CsrPattern<I> &a, int64_t k, int64_t firstSlot, Offset *row, Column *col,
                     std::vector<uint32_t> &slots) {
  int64_t at = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i] + k; e < a.rowPtr[i + 1]; ++e, ++at) {
      row[at] = static_cast<Offset>(i);
      col[at] = static_cast<Column>(a.col[e]);
      slots[e] = static_cast<uint32_t>(firstSlot + at);
    }
}

static void packTail(const CsrView &a, int64_t k, int64_t firstSlot, Layout &out) {
  LayoutArray &row = *out.find("row"), &col = *out.find("tailCol");
  visitPattern(a, [&](auto pattern) {
    auto pack = [&](auto *rows, auto *cols) {
      packTail(pattern, k, firstSlot, rows, cols, out.slots);
    };
    const bool narrow = col.type == ElementType::i32;
    if (row.type == ElementType::i32)
      narrow ? pack(row.as<int32_t>(), col.as<int32_t>())
             : pack(row.as<int32_t>(), col.as<int64_t>());
    else
      narrow ? pack(row.as<int64_t>(), col.as<int32_t>())
             : pack(row.as<int64_t>(), col.as<int64_t>());
  });
}

static int64_t tailEntries(const CsrView &a, int64_t k) {
  return visitPattern(a, [&](auto p) {
    int64_t sum = 0;
    for (int64_t row = 0; row < p.rows; ++row)
      sum += std::max<int64_t>(0, p.rowPtr[row + 1] - p.rowPtr[row] - k);
    return sum;
  });
}

static int64_t tailBlocks(const Plan &plan, int64_t tail) {
  return ceilDiv(tail, plan.get("block") * kItemsPerThread);
}

constexpr PlanNumber kNumbers[] = {{"hyb.k", 0, kMaxSlots}, {"tail", 0, 1}, kBlockNumber};

static llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkNumbers(plan, kNumbers))
    return error;
  const int64_t k = plan.get("hyb.k"), tail = tailEntries(a, k);
  const int64_t ellPart = ellSlots(a.rows, k);
  if ((tail > 0) != (plan.get("tail") != 0))
    return fail(Status::notApplicable,
                "plan has tail = {0}, the matrix has {1} entries beyond hyb.k "
                "= {2}",
                plan.get("tail"), tail, k);
  if (ellPart + tail > kMaxSlots)
    return fail(Status::notApplicable, "{0} slots exceed {1}", ellPart + tail, kMaxSlots);
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, ellPart + tail))
    return error;

  const auto [offset, column] = indexTypesOf(plan);
  const ElementType value = elementOf(problem.type);
  Layout out;
  out.add("col", column, ellPart);
  out.add("val", value, ellPart + tail);
  out.slots.resize(a.nnz);
  packEll(a, k, *out.find("col"), out.slots);
  out.integers = {{"rows", a.rows}, {"stride", ellStride(a.rows)}};
  if (tail > 0) {
    out.add("row", offset, tail);
    out.add("tailCol", column, tail);
    packTail(a, k, ellPart, out);
    const int64_t open = 2 * (tailBlocks(plan, tail) + 1);
    out.addScratch("openRow", offset, open);
    out.addScratch("openSum", value, open);
    out.addScratch("blocksDone", ElementType::u32, 1);
    out.integers.insert(out.integers.end(), {{"tailBegin", ellPart}, {"count", tail}});
  }
  storeValues(out, a);
  return out;
}

static Kernel tailKernel(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  return {.name = kTailName,
          .function = "coo",
          .plan = kTailPlanName,
          .args = "CooArgs",
          .types = {value, offset, column},
          .blockThreads = plan.get("block"),
          .arguments = {{"row", Binding::array, offset},
                        {"col", Binding::array, column, "tailCol"},
                        {"val", Binding::array, value},
                        {"x", Binding::x, value},
                        {"y", Binding::y, value},
                        {"alpha", Binding::alpha, value},
                        {"valBegin", Binding::integer, offset, "tailBegin"},
                        {"count", Binding::integer, offset},
                        {"openRow", Binding::scratch, offset},
                        {"openSum", Binding::scratch, value},
                        {"blocksDone", Binding::scratch, ElementType::u32}},
          // ptxas would rather spill than exceed 48 registers; 64 still fill an SM by half.
          .blocksPerSm = 4};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant ell = ellConstant(plan, problem, "hyb.k");
  if (!plan.get("tail"))
    return emit(plan, problem, {"ell.cuh"}, {ell}, {ellKernel(plan, problem)});
  const PlanConstant coo{
      kTailPlanName,
      "CooPlan",
      {{"blockThreads", plan.get("block")}, {"itemsPerThread", kItemsPerThread}}};
  return emit(plan, problem, {"ell.cuh", "coo.cuh"}, {ell, coo},
              {ellKernel(plan, problem), tailKernel(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Steps out;
  if (const int64_t blocks = ceilDiv(layout.integer("rows"), plan.get("block")))
    out.push_back(launchOf(ellKernel(plan, problem), blocks));
  if (const int64_t blocks = tailBlocks(plan, layout.integer("count")))
    out.push_back(launchOf(tailKernel(plan, problem), blocks));
  return out;
}

static constexpr FormatParameter kParameters[] = {{"hyb.k"}};
const Format kHyb{"hyb", kParameters, plans, layout, source, steps};

} // namespace specmv
