// Implements what COO and the tail of HYB share.
#include "generator/shared/triplets.h"

#include "generator/shared/gathers.h"
#include "generator/shared/open_rows.h"
#include "generator/shared/typed_array.h"

namespace specmv {

// Entries a thread of the COO kernel takes: 8 keep its loads in flight, and give a block of 256
// threads 2,048 entries for the one partial sum at each of its ends.
constexpr int64_t kItemsPerThread = 8;
// What the kernel adds to the longest chain, in passes of CSR-vector's loop: 18 for a second wait
// for first loads, 12 for the sums of runs in the warp and in the block (an estimate).
constexpr int64_t kRunsChain = 30;
// Share of the memory rate that the kernel reaches (fitted to tests/bench/results/
// 2026-11-21-h200.jsonl, all that exceed L2).
constexpr double kCooEfficiency = 0.54;
constexpr const char *kCooName = "specmv_coo";
constexpr const char *kCooPlanName = "kCooPlan";

static int64_t blockShare(const Plan &plan) { return plan.get("block") * kItemsPerThread; }

int64_t tailEntries(const SparsityProfile &p, int64_t k) {
  int64_t sum = 0;
  for (const LengthCount &l : p.lengths)
    sum += l.rows * std::max<int64_t>(0, l.length - k);
  return sum;
}

int64_t tailEntries(const CsrView &a, int64_t k) {
  return visitPattern(a, [&](auto p) {
    int64_t sum = 0;
    for (int64_t row = 0; row < p.rows; ++row)
      sum += std::max<int64_t>(0, p.rowPtr[row + 1] - p.rowPtr[row] - k);
    return sum;
  });
}

template <class Offset, class Column, class I>
static void packCooTyped(const CsrPattern<I> &a, int64_t k, int64_t firstSlot, Offset *row,
                         Column *col, Slots &slots) {
  int64_t at = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i] + k; e < a.rowPtr[i + 1]; ++e, ++at) {
      row[at] = static_cast<Offset>(i);
      col[at] = static_cast<Column>(a.col[e]);
      if (!slots.empty())
        slots[e] = static_cast<uint32_t>(firstSlot + at);
    }
}

void packTail(const CsrView &a, int64_t k, int64_t firstSlot, LayoutArray &row, LayoutArray &col,
              Slots &slots) {
  visitIntegers(row, [&](auto *rows) {
    visitIntegers(col, [&](auto *cols) {
      visitPattern(a, [&](auto p) { packCooTyped(p, k, firstSlot, rows, cols, slots); });
    });
  });
}

// The rows with entries on both sides of a boundary between shares.
template <class Offset>
static std::vector<int64_t> openRowsOf(const Offset *row, int64_t count, int64_t share) {
  std::vector<int64_t> out;
  for (int64_t at = 0; at < count; at += share)
    out.push_back(at > 0 && row[at - 1] == row[at] ? static_cast<int64_t>(row[at]) : kNoRow);
  out.push_back(kNoRow);
  return out;
}

void packTriplets(const CsrView &a, const Plan &plan, const Problem &problem, int64_t k,
                  int64_t count, const char *col, int64_t firstSlot, Layout &out) {
  const auto [offset, column] = indexTypesOf(plan);
  out.add("row", offset, count);
  out.add(col, column, count);
  packTail(a, k, firstSlot, *out.find("row"), *out.find(col), out.slots);
  std::vector<int64_t> openRow;
  visitIntegers(*out.find("row"),
                [&](auto *rows) { openRow = openRowsOf(rows, count, blockShare(plan)); });
  addOpenRows(out, problem, openRow);
  out.integers.insert(out.integers.end(), {{"valBegin", firstSlot}, {"count", count}});
}

Kernel cooKernel(const Plan &plan, const Problem &problem, const char *col) {
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  Kernel kernel{.name = kCooName,
                .function = "coo",
                .plan = kCooPlanName,
                .args = "CooArgs",
                .types = {value, offset, column},
                .blockThreads = plan.get("block"),
                .arguments = {{"row", Binding::array, offset},
                              {"col", Binding::array, column, col},
                              {"val", Binding::array, value},
                              {"x", Binding::x, value},
                              {"y", Binding::y, value},
                              {"alpha", Binding::alpha, value},
                              {"valBegin", Binding::integer, offset},
                              {"count", Binding::integer, offset}},
                // ptxas would rather spill than exceed 48 registers; 64 still fill an SM by half.
                .blocksPerSm = 4};
  addOpenRowArguments(kernel.arguments, problem);
  return kernel;
}

PlanConstant cooConstant(const Plan &plan) {
  return {kCooPlanName,
          "CooPlan",
          {{"blockThreads", plan.get("block")}, {"itemsPerThread", kItemsPerThread}}};
}

void addCooLaunch(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                  const char *col) {
  if (const int64_t blocks = ceilDiv(layout.integer("count"), blockShare(plan)))
    out.push_back(launchOf(cooKernel(plan, problem, col), blocks));
}

void addCooTraffic(Traffic &t, const PlanRequest &in, const Plan &plan, int64_t k, int64_t count) {
  const auto [offset, column] = indexTypesOf(plan);
  const auto entry =
      static_cast<int64_t>(sizeOf(in.problem.type) + sizeOf(offset) + sizeOf(column));
  const int64_t blocks = ceilDiv(count, blockShare(plan));
  const int64_t bytes = count * entry + openRowBytes(blocks);
  // The kernels run one after the other, each at its own share of the rate.
  t.efficiency = static_cast<double>(t.streamBytes + bytes) /
                 (static_cast<double>(t.streamBytes) / t.efficiency +
                  static_cast<double>(bytes) / kCooEfficiency);
  t.storedBytes += bytes;
  t.streamBytes += bytes;
  t.gatherBytes += gatherBytesOf(in.profile, in.problem.type, count);
  t.threads += blocks * plan.get("block");
  t.steps += count;
  t.longestChain += kRunsChain + openRowChain(longestRow(in.profile) - k, blockShare(plan));
  t.launches += 1;
}

} // namespace specmv
