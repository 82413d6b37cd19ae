// The combinator "split by position": one part, the head, multiplies the first K entries of each
// row, another one, the tail, the entries beyond. HYB is ELL and COO in this form.
#pragma once

#include "generator/sources.h"
#include "generator/tree/tree.h"

#include <optional>

namespace specmv {

// The tail: the entries beyond the first K of their rows, and the rows that have such entries.
struct TailCount {
  int64_t entries = 0, rows = 0;
};
TailCount tailOf(const SparsityProfile &p, int64_t k);
TailCount tailOf(const CsrView &a, int64_t k);

struct SplitByPosition {
  const char *format;
  const Part &head, &tail;
  // The number K of a plan. If it is missing, K is 0: the head stores beta y alone, so that it
  // reaches rows without entries, and the tail multiplies all entries in their order.
  std::optional<IntegerKey> at = {};
  // The values of K that are worth pricing; null if there is no K.
  const std::vector<int64_t> &(*positions)(const PlanRequest &) = nullptr;
  // The number of a plan that is 1 if there is a tail, and 0 if no row has more than K entries. If
  // it is missing, there must be one.
  std::optional<IntegerKey> hasTail = {};

  // Adds a plan for each value of K. If it adds none, the sentence returned says why.
  std::string offer(const PlanRequest &in, std::vector<Plan> &out) const;
  Traffic traffic(const PlanRequest &in, const Plan &plan) const;
  KernelSource source(const Plan &plan, const Problem &problem) const;
  Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) const;
  llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) const;

  // Packing on a GPU (split_packing.cpp), for parts that have PartPacking.
  KernelSource packSource(const Plan &plan, const Problem &problem, IndexType csrIndex) const;
  llvm::Expected<std::optional<Layout>> packOn(const KernelSource &kernels, Workspace &workspace,
                                               const Plan &plan, const Problem &problem) const;

  Leaves leaves(const Plan &plan, const MatrixSize &a, const TailCount &count) const;
  // The leaves of a plan for which nothing is packed.
  Leaves leaves(const Plan &plan) const { return leaves(plan, {}, {}); }
  // Fails if a matrix with this tail cannot be packed for the plan.
  llvm::Error check(const Plan &plan, const MatrixSize &a, const TailCount &count) const;
  int64_t positionOf(const Plan &plan) const { return at ? plan.get(*at) : 0; }
};

// The functions of a format (Format) whose plans are split so.
template <const SplitByPosition &split> struct SplitFormat {
  static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
    return split.offer(in, out);
  }
  static KernelSource source(const Plan &plan, const Problem &problem) {
    return split.source(plan, problem);
  }
  static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
    return split.steps(plan, problem, layout);
  }
  static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
    return split.pack(a, plan, problem);
  }
  static Plan general(const Plan &plan) { return plan.with(*split.at, kAsArgument); }

  static KernelSource packSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
    return split.packSource(plan, problem, csrIndex);
  }
  static llvm::Expected<std::optional<Layout>> packOn(Workspace &w, const Plan &plan,
                                                      const Problem &problem) {
    const SharedSource kernels = keptSource(packSource, plan, problem, w.csr().indexType);
    return split.packOn(*kernels, w, plan, problem);
  }
  static constexpr Packing kPacking{packSource, packOn, !split.at};
};

} // namespace specmv
