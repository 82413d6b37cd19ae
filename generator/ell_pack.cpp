// Packs rows for ELL and for the ELL part of HYB, and estimates what that costs.
#include "generator/ell_pack.h"

#include "generator/traffic_of.h"
#include "models/parallel.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

std::string whyNotEll(const char *format, const SparsityProfile &p, int64_t width) {
  const int64_t slots = width > 0 ? ellStride(p.rows) : 0;
  if (width > 0 && slots > kMaxSlots / width)
    return llvm::formatv("{0} of width {1} needs {1} x {2} slots, more than {3}", format, width,
                         slots, kMaxSlots);
  const int64_t limit = kMaxEllPadding * p.nnz + 32 * width;
  if (slots * width > limit)
    return llvm::formatv("{0} of width {1} would store {2:f1} slots for each of {3} entries, more "
                         "than {4}",
                         format, width, static_cast<double>(slots * width) / p.nnz, p.nnz,
                         kMaxEllPadding);
  return "";
}

// Rows a thread packs at a time.
constexpr int64_t kPackRows = 4096;

template <class Out, class I>
static void packTyped(const CsrPattern<I> &a, int64_t width, Out *col,
                      std::vector<uint32_t> &slots) {
  const int64_t stride = ellStride(a.rows);
  std::fill_n(col, width * stride, Out(-1));
  parallelFor(a.rows, kPackRows, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = a.rowPtr[row];
      const int64_t count = std::min<int64_t>(width, a.rowPtr[row + 1] - first);
      for (int64_t k = 0; k < count; ++k) {
        col[k * stride + row] = static_cast<Out>(a.col[first + k]);
        slots[first + k] = static_cast<uint32_t>(k * stride + row);
      }
    }
  });
}

void packEll(const CsrView &a, int64_t width, LayoutArray &col, std::vector<uint32_t> &slots) {
  visitPattern(a, [&](auto pattern) {
    if (col.type == ElementType::i32)
      packTyped(pattern, width, col.as<int32_t>(), slots);
    else
      packTyped(pattern, width, col.as<int64_t>(), slots);
  });
}

Kernel ellKernel(const Plan &plan, const Problem &problem) {
  const ElementType value = elementOf(problem.type);
  const auto [offset, column] = indexTypesOf(plan);
  return {.name = kKernelName,
          .function = "ell",
          .plan = kPlanName,
          .args = "EllArgs",
          .types = {value, offset, column},
          .blockThreads = plan.get("block"),
          .arguments = {{"col", Binding::array, column},
                        {"val", Binding::array, value},
                        {"x", Binding::x, value},
                        {"y", Binding::y, value},
                        {"alpha", Binding::alpha, value},
                        {"beta", Binding::beta, value},
                        {"rows", Binding::integer, offset},
                        {"stride", Binding::integer, offset}}};
}

PlanConstant ellConstant(const Plan &plan, const Problem &problem, const char *widthName) {
  return {kPlanName,
          "EllPlan",
          {{"blockThreads", plan.get("block")},
           {"width", plan.get(widthName)},
           {"readsY", problem.betaCanBeNonZero}}};
}

Traffic ellTraffic(const PlanRequest &in, const Plan &plan, int64_t width, int64_t entries) {
  const SparsityProfile &p = in.profile;
  const auto v = static_cast<int64_t>(sizeOf(in.problem.type));
  const int64_t slots = width * ellStride(p.rows);
  Traffic t;
  t.storedBytes = slots * (v + static_cast<int64_t>(sizeOf(indexTypesOf(plan).column)));
  t.streamBytes = t.storedBytes + p.rows * v;
  t.gatherBytes = gatherBytesOf(p, in.problem.type, entries);
  t.threads = ellStride(p.rows);
  // A pass of ELL's loop has its loads issued in batches: measured on an H200, it costs 0.6 of one
  // of CSR-vector's.
  t.steps = slots * 3 / 5;
  t.longestChain = width * 3 / 5;
  return t;
}

} // namespace specmv
