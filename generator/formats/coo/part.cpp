// Packs entries as triplets on the host, and describes the kernel that multiplies them.
#include "generator/formats/coo/part.h"

#include "generator/shared/gathers.h"
#include "generator/shared/open_rows.h"
#include "generator/shared/typed_array.h"

namespace specmv {

// Entries that a thread of the COO kernel multiplies: 8 keep enough loads in flight, and a block of
// 256 threads then has 2,048 entries for its two partial sums, one at each end.
constexpr int64_t kItemsPerThread = 8;
constexpr const char *kCooName = "specmv_coo";
constexpr const char *kCooPlanName = "kCooPlan";

void addAtomic(const Fixed &fixed, std::vector<Plan> &plans) {
  if (fixedOr(fixed, key::kCooAtomic, 0) == 0)
    return;
  for (Plan &plan : plans)
    plan.integers.emplace_back(key::kCooAtomic, 1);
}

int64_t tripletShare(const Plan &plan) { return plan.get(key::kBlock) * kItemsPerThread; }

template <class Column, class I>
static void packTripletsTyped(const CsrPattern<I> &a, const Share &share, ArrayWriter row,
                              Column *col, Slots &slots) {
  int64_t at = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i] + share.first; e < a.rowPtr[i + 1]; ++e, ++at) {
      row.set(at, i);
      col[at] = static_cast<Column>(a.col[e]);
      if (!slots.empty())
        slots[e] = static_cast<uint32_t>(share.firstSlot + at);
    }
}

void packTriplets(const CsrView &a, const Share &share, LayoutArray *row, Layout &out) {
  visitIntegers(*out.find(share.col), [&](auto *cols) {
    visitPattern(a,
                 [&](auto p) { packTripletsTyped(p, share, ArrayWriter(row), cols, out.slots); });
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

static int64_t tripletSlots(const Share &share) { return share.entries; }

static Fields tripletFields(const Plan &plan, const Problem &problem, const Share &share) {
  const auto [offset, column] = indexTypesOf(plan);
  const int64_t count = share.entries, begin = share.firstSlot;
  return joined({{array("row", offset, count), array("col", column, count, share.col)},
                 valueFields(plan, problem, begin + count),
                 addedVectors(problem),
                 {number("valBegin", offset, begin), number("count", offset, count)},
                 openRowFields(problem, ceilDiv(count, tripletShare(plan)))});
}

static PlanConstant cooConstant(const Plan &plan, const Problem & /*problem*/,
                                const Share & /*share*/) {
  PlanConstant out{kCooPlanName,
                   "CooPlan",
                   {{"blockThreads", plan.get(key::kBlock)}, {"itemsPerThread", kItemsPerThread}}};
  if (plan.get(key::kCooAtomic, 0) != 0)
    out.fields.emplace_back("isAtomic", 1);
  return out;
}

static std::vector<Kernel> cooKernels(const Plan &plan, const Problem &problem,
                                      const Share &share) {
  return {{.name = kCooName,
           .function = "coo",
           .plan = kCooPlanName,
           .args = "CooArgs",
           .types = {},
           .blockThreads = plan.get(key::kBlock),
           .arguments = argumentsOf(tripletFields(plan, problem, share)),
           // Left alone, ptxas spills rather than use more than 48 registers; with 64 an SM still
           // holds half of its threads.
           .blocksPerSm = 4,
           .operands = operandsOf(plan, problem, OnY::adds),
           .onY = OnY::adds}};
}

static void addCooSteps(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                        const Share &share) {
  if (const int64_t blocks = ceilDiv(layout.integer("count"), tripletShare(plan)))
    out.push_back(launchOf(cooKernels(plan, problem, share)[0], blocks));
}

static void packTripletPart(const CsrView &a, const Plan &plan, const Share &share, Layout &out) {
  packTriplets(a, share, out.find("row"), out);
  std::vector<int64_t> openRow;
  visitIntegers(*out.find("row"),
                [&](auto *rows) { openRow = openRowsOf(rows, share.entries, tripletShare(plan)); });
  fillOpenRows(out, openRow);
}

static void addCooTraffic(Traffic &t, const PlanRequest &in, const Plan &plan, const Share &share) {
  const int64_t count = share.entries, blocks = ceilDiv(count, tripletShare(plan));
  const int64_t bytes = storedBytesOf(tripletFields(plan, in.problem, {.entries = count}));
  t.storedBytes += bytes;
  t.slots += count;
  t.streamBytes += bytes;
  t.gatherBytes += gatherBytesOf(in, count);
  t.threads += blocks * plan.get(key::kBlock);
  t.steps += count;
  // A second wait for first loads, and the sums of runs in the warp and in the block.
  t.longestChain += static_cast<int64_t>(in.gpu.rates[kRunsPasses]) +
                    openRowChain(longestRow(in.profile) - share.first, tripletShare(plan), in.gpu);
  t.launches += 1;
}

const Part kTripletPart{.header = "coo.cuh",
                        .onY = OnY::adds,
                        .slots = tripletSlots,
                        .fields = tripletFields,
                        .constant = cooConstant,
                        .kernels = cooKernels,
                        .addSteps = addCooSteps,
                        .pack = packTripletPart,
                        .addTraffic = addCooTraffic,
                        .packing = &kTripletPacking};

} // namespace specmv
