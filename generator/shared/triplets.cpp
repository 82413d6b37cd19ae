// The triplets that COO and the tail of HYB share: packing, kernel and traffic.
#include "generator/shared/triplets.h"

#include "generator/shared/array_writer.h"
#include "generator/shared/gathers.h"
#include "generator/shared/open_rows.h"
#include "generator/shared/typed_array.h"

namespace specmv {

// Entries that a thread of the COO kernel multiplies: 8 keep enough loads in flight, and a block of
// 256 threads then has 2,048 entries for its two partial sums, one at each end.
constexpr int64_t kItemsPerThread = 8;
constexpr const char *kCooName = "specmv_coo";
constexpr const char *kCooPlanName = "kCooPlan";

int64_t tripletShare(const Plan &plan) { return plan.get(key::kBlock) * kItemsPerThread; }

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

template <class Column, class I>
static void packTailTyped(const CsrPattern<I> &a, int64_t k, int64_t firstSlot, ArrayWriter row,
                          Column *col, Slots &slots) {
  int64_t at = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i] + k; e < a.rowPtr[i + 1]; ++e, ++at) {
      row.set(at, i);
      col[at] = static_cast<Column>(a.col[e]);
      if (!slots.empty())
        slots[e] = static_cast<uint32_t>(firstSlot + at);
    }
}

void packTail(const CsrView &a, int64_t k, int64_t firstSlot, LayoutArray *row, LayoutArray &col,
              Slots &slots) {
  visitIntegers(col, [&](auto *cols) {
    visitPattern(a, [&](auto p) { packTailTyped(p, k, firstSlot, ArrayWriter(row), cols, slots); });
  });
}

// The rows with entries on both sides of a boundary between shares.
template <class Offset>
static std::vector<int64_t> openRowsOf(const Offset *row, int64_t count, int64_t share) {
  std::vector<int64_t> out;
  for (int64_t at = 0; at < count; at += share)
    out.push_back(at > 0 && row[at - 1] == row[at] ? static_cast<int64_t>(row[at])
                                                   : int64_t{kNoRow});
  out.push_back(kNoRow);
  return out;
}

Fields tripletFields(const Plan &plan, const Problem &problem, const Triplets &triplets) {
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t count = triplets.count, begin = triplets.firstSlot;
  return joined({{array("row", offset, count), array("col", column, count, triplets.col)},
                 valueFields(plan, problem, begin + count),
                 addedVectors(problem),
                 {number("valBegin", offset, begin), number("count", offset, count)},
                 openRowFields(problem, ceilDiv(count, tripletShare(plan)))});
}

void packTriplets(const CsrView &a, const Plan &plan, int64_t k, const Triplets &triplets,
                  Layout &out) {
  packTail(a, k, triplets.firstSlot, out.find("row"), *out.find(triplets.col), out.slots);
  std::vector<int64_t> openRow;
  visitIntegers(*out.find("row"), [&](auto *rows) {
    openRow = openRowsOf(rows, triplets.count, tripletShare(plan));
  });
  fillOpenRows(out, openRow);
}

Kernel cooKernel(const Plan &plan, const Problem &problem, const char *col) {
  return {.name = kCooName,
          .function = "coo",
          .plan = kCooPlanName,
          .args = "CooArgs",
          .types = {},
          .blockThreads = plan.get(key::kBlock),
          .arguments = argumentsOf(tripletFields(plan, problem, {0, 0, col})),
          // Left alone, ptxas spills rather than use more than 48 registers; with 64 an SM still
          // holds half of its threads.
          .blocksPerSm = 4,
          .operands = operandsOfAdding(plan, problem)};
}

PlanConstant cooConstant(const Plan &plan) {
  return {kCooPlanName,
          "CooPlan",
          {{"blockThreads", plan.get(key::kBlock)}, {"itemsPerThread", kItemsPerThread}}};
}

void addCooLaunch(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                  const char *col) {
  if (const int64_t blocks = ceilDiv(layout.integer("count"), tripletShare(plan)))
    out.push_back(launchOf(cooKernel(plan, problem, col), blocks));
}

void addCooTraffic(Traffic &t, const PlanRequest &in, const Plan &plan, int64_t k, int64_t count) {
  const int64_t blocks = ceilDiv(count, tripletShare(plan));
  const int64_t bytes = storedBytesOf(tripletFields(plan, in.problem, {count, 0, "col"}));
  t.storedBytes += bytes;
  t.slots += count;
  t.streamBytes += bytes;
  t.gatherBytes += gatherBytesOf(in, count);
  t.threads += blocks * plan.get(key::kBlock);
  t.steps += count;
  // A second wait for first loads, and the sums of runs in the warp and in the block.
  t.longestChain += static_cast<int64_t>(in.gpu.rates[kRunsPasses]) +
                    openRowChain(longestRow(in.profile) - k, tripletShare(plan), in.gpu);
  t.launches += 1;
}

} // namespace specmv
