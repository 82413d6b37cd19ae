// Merge-path CSR on the host (Merrill and Garland 2016). The items of a matrix are its entries and
// the ends of its rows; each thread of the kernel gets equally many. Where a thread's items begin
// and which of them are ends of rows is found here, once, and not again by each product.
#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/shared/gathers.h"
#include "generator/shared/open_rows.h"
#include "generator/shared/padded.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "models/base/parallel.h"

namespace specmv {

// Items of a thread, for the plans that are offered. They are odd, so that the lanes of a warp read
// different banks of shared memory. 7 keep enough loads in flight and leave enough threads for a
// small matrix; with 15, twice as many items share the cost of the sums between threads.
constexpr int64_t kItems[] = {7, 15};
// Share of the memory rate that the kernel reaches in float and in double, for short rows and for
// long ones (kLongRow entries or more in the mean). It differs because each item costs
// instructions, whatever its bytes, and the end of a row costs more of them.
constexpr const char *kEfficiency[2][2] = {
    {"csr-merge.efficiencyShortF32", "csr-merge.efficiencyLongF32"},
    {"csr-merge.efficiencyShortF64", "csr-merge.efficiencyLongF64"}};
constexpr const char *kLongRow = "csr-merge.longRow";
// What the sums over lanes, warps and blocks add to the longest chain, in passes of CSR-vector's
// loop.
constexpr const char *kSumsPasses = "csr-merge.sumsPasses";
constexpr const char *kRates[] = {kEfficiency[0][0], kEfficiency[0][1], kEfficiency[1][0],
                                  kEfficiency[1][1], kLongRow,          kSumsPasses};
// This leaves 64 registers for a thread, which keep the loads of 15 items in flight; left alone,
// ptxas spills rather than use more than 32.
constexpr int64_t kThreadsPerSm = 1024;
// A path of up to 8 items and the rows before it fits 16 bits: 31 x 8 rows.
constexpr int64_t kMaxNarrowItems = 8;
constexpr Parameter kParameters[] = {{.name = "merge.items",
                                      .least = 1,
                                      .most = 21, // bits and 31 x 21 rows fit 31 bits
                                      .isSettable = true,
                                      .tried = {1, 8, 21}},
                                     {.name = "merge.threads",
                                      .least = 32,
                                      .most = 256, // x 21 doubles fit 48 KB of shared memory
                                      .isPowerOfTwo = true,
                                      .isSettable = true,
                                      .tried = {32, 128}}};

namespace {
// Blocks and threads of a matrix's items: its entries and the ends of its rows.
struct Shape {
  int64_t items, threads, blocks;
  Shape(const Plan &plan, int64_t rows, int64_t nnz)
      : items(plan.get("merge.items")), threads(plan.get("merge.threads")),
        blocks(ceilDiv(rows + nnz, items * threads)) {}
  int64_t warps() const { return blocks * threads / 32; }
  int64_t warpItems() const { return 32 * items; }
  int64_t blockItems() const { return threads * items; }
  ElementType path() const {
    return items <= kMaxNarrowItems ? ElementType::u16 : ElementType::i32;
  }
};
} // namespace

static Plan planFor(const PlanRequest &in, int64_t items) {
  Plan plan{.format = "csr-merge",
            .integers = {{"merge.items", items},
                         {"merge.threads", fixedOr(in.fixed, "merge.threads", kBlockThreads)}}};
  addIndexTypes(plan, in.profile.rows, in.profile.cols, in.profile.rows + in.profile.nnz);
  return plan;
}

static Fields fieldsOf(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz) {
  const auto [value, offset, column] = typesOf(plan, problem);
  const Shape shape(plan, rows, nnz);
  return joined({{array("path", shape.path(), shape.blocks * shape.threads),
                  array("warpRow", offset, shape.warps() + 1), array("col", column, nnz),
                  array("val", value, nnz)},
                 vectors(value),
                 {number("rows", offset, rows)},
                 openRowFields(problem, shape.blocks)});
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  const Shape shape(plan, p.rows, p.nnz);
  const int64_t passes = paddedPasses(shape.items, rates[kPassesPerBatch]);
  Traffic t;
  t.threads = shape.blocks * shape.threads;
  t.threadsPerSm = kThreadsPerSm;
  t.storedBytes = storedBytesOf(fieldsOf(plan, in.problem, p.rows, p.nnz));
  t.streamBytes = t.storedBytes + p.rows * static_cast<int64_t>(sizeOf(in.problem.type));
  t.gatherBytes = gatherBytes(in);
  t.steps = t.threads * passes;
  t.longestChain = passes + static_cast<int64_t>(rates[kSumsPasses]) +
                   openRowChain(longestRow(p), shape.blockItems(), in.gpu);
  const bool isLong = static_cast<double>(p.nnz) >= rates[kLongRow] * static_cast<double>(p.rows);
  t.efficiency = rates[kEfficiency[in.problem.type == ValueType::f64][isLong]];
  return t;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  for (int64_t items : kItems) {
    out.push_back(planFor(in, fixedOr(in.fixed, "merge.items", items)));
    if (isFixed(in.fixed, "merge.items"))
      break;
  }
  return "";
}

namespace {
// The merge path of a matrix: the items in their order, in which the end of a row follows its
// entries. Item q is the end of row r if endOf(r) = q, otherwise an entry. The last block is filled
// up with ends of rows beyond the last one.
//
// Example: rows of 2, 0 and 1 entries, rowPtr = 0 2 2 3, with 3 items a thread:
//   item      0   1   2    3    4   5      endOf(0) = 2, endOf(1) = 3, endOf(2) = 5
//   is        e0  e1  end0 end1 e2  end2
//   thread    0   0   0    1    1   1
// Thread 0 begins in row 0 and has an end at its item 2: bits 100. Thread 1 begins in row 1, since
// one row has ended, and has ends at its items 0 and 2: bits 101. Above these `items` bits, a
// thread's path has the number of rows that have ended in its warp before it: 0 and 1.
template <class I> struct MergePath {
  const CsrPattern<I> &a;

  int64_t endOf(int64_t row) const { return (row < a.rows ? a.rowPtr[row + 1] : a.nnz) + row; }

  // The row that item `item` belongs to: how many rows end before it.
  int64_t rowOf(int64_t item) const {
    int64_t low = 0, high = std::max(a.rows, item - a.nnz);
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      endOf(middle) < item ? low = middle + 1 : high = middle;
    }
    return low;
  }

  // The row that has entries, but not its end, before `item`; kNoRow if there is none.
  int64_t openAt(int64_t item) const {
    const int64_t row = rowOf(item);
    return row < a.rows && a.rowPtr[row] + row < item ? row : kNoRow;
  }

  // Fills the path of warps begin .. end - 1, as CsrMergeArgs describes it.
  template <class Path, class Offset>
  void pack(const Shape &shape, int64_t begin, int64_t end, Path *path, Offset *warpRow) const {
    int64_t row = rowOf(begin * shape.warpItems());
    for (int64_t warp = begin; warp < end; ++warp) {
      const int64_t firstRow = row;
      for (int64_t thread = warp * 32; thread < warp * 32 + 32; ++thread) {
        int64_t bits = (row - firstRow) << shape.items;
        for (; endOf(row) < (thread + 1) * shape.items; ++row)
          bits |= int64_t{1} << (endOf(row) - thread * shape.items);
        path[thread] = static_cast<Path>(bits);
      }
      warpRow[warp + 1] = static_cast<Offset>(row);
    }
  }
};
} // namespace

// Warps that a thread of the host packs at a time.
constexpr int64_t kPackWarps = 1024;

template <class I> static void packPath(const CsrPattern<I> &a, const Shape &shape, Layout &out) {
  const MergePath<I> merge{a};
  visitIntegers(*out.find("path"), [&](auto *path) {
    visitIntegers(*out.find("warpRow"), [&](auto *warpRow) {
      parallelFor(shape.warps(), kPackWarps, [&](int64_t begin, int64_t end) {
        merge.pack(shape, begin, end, path, warpRow);
      });
    });
  });
}

template <class I>
static std::vector<int64_t> openRowsOf(const CsrPattern<I> &a, const Shape &shape) {
  const MergePath<I> merge{a};
  std::vector<int64_t> rows;
  for (int64_t boundary = 0; boundary <= shape.blocks; ++boundary)
    rows.push_back(merge.openAt(boundary * shape.blockItems()));
  return rows;
}

static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, a.rows + a.nnz))
    return error;
  const Shape shape(plan, a.rows, a.nnz);
  Layout out;
  addFields(out, fieldsOf(plan, problem, a.rows, a.nnz));
  visitPattern(a, [&](auto pattern) {
    packPath(pattern, shape, out);
    fillOpenRows(out, openRowsOf(pattern, shape));
    copyIndices(*out.find("col"), pattern.col, a.nnz);
  });
  storeValues(out, a);
  return out;
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return {.name = kKernelName,
          .function = "csrMerge",
          .plan = kPlanName,
          .args = "CsrMergeArgs",
          .types = {value, offset, column, Shape(plan, 0, 0).path()},
          .blockThreads = plan.get("merge.threads"),
          .arguments = argumentsOf(fieldsOf(plan, problem, 0, 0)),
          .blocksPerSm = std::min<int64_t>(16, kThreadsPerSm / plan.get("merge.threads"))};
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "CsrMergePlan",
                              {{"blockThreads", plan.get("merge.threads")},
                               {"itemsPerThread", plan.get("merge.items")},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"csr_merge.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t blocks = layout.find("arrivals")->count();
  return launchOnly(kernelOf(plan, problem), blocks);
}

const Format kCsrMerge{.name = "csr-merge",
                       .parameters = kParameters,
                       .offer = offer,
                       .traffic = traffic,
                       .pack = pack,
                       .source = source,
                       .steps = steps,
                       .rates = kRates};

} // namespace specmv
