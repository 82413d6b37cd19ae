// Divides the entries of each row at a position, and refuses matrices that do not fit a plan.
#include "generator/tree/split_by_position.h"

#include "models/base/error.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

TailCount tailOf(const SparsityProfile &p, int64_t k) {
  TailCount out;
  for (const LengthCount &l : p.lengths)
    if (l.length > k) {
      out.entries += l.rows * (l.length - k);
      out.rows += l.rows;
    }
  return out;
}

TailCount tailOf(const CsrView &a, int64_t k) {
  return visitPattern(a, [&](auto p) {
    TailCount out;
    for (int64_t row = 0; row < p.rows; ++row)
      if (const int64_t count = p.rowPtr[row + 1] - p.rowPtr[row] - k; count > 0) {
        out.entries += count;
        ++out.rows;
      }
    return out;
  });
}

Leaves SplitByPosition::leaves(const Plan &plan, const MatrixSize &a,
                               const TailCount &count) const {
  const int64_t k = positionOf(plan);
  Leaves out = {{&head, {.rows = a.rows, .last = k, .entries = a.nnz - count.entries}}};
  if (!hasTail || plan.get(*hasTail))
    out.push_back({&tail,
                   {.rows = a.rows,
                    .first = k,
                    .entries = count.entries,
                    .rowsInUse = count.rows,
                    .firstSlot = head.slots(out[0].share),
                    .col = at ? "tailCol" : "col",
                    .starts = at ? kTailStart : kCsrRowPtr}});
  return out;
}

// The reason if no row has more than K entries.
static std::string whyNoTail(const SplitByPosition &split, int64_t nnz, int64_t k) {
  const char *const name = split.at->name;
  if (nnz == 0)
    return llvm::formatv("the matrix has 0 entries, so {0} would be the same as ell; use ell",
                         split.format);
  return llvm::formatv("no row has more than {0} = {1} entries, so {2} would be the same as ell; "
                       "use ell, or a smaller {0}",
                       name, k, split.format);
}

std::string SplitByPosition::offer(const PlanRequest &in, std::vector<Plan> &out) const {
  const SparsityProfile &p = in.profile;
  std::string why;
  for (int64_t k : positions(in)) {
    const TailCount count = tailOf(p, k);
    // A K without a tail is offered only if it is fixed.
    if (count.entries == 0 && !(hasTail && isFixed(in.fixed, *at))) {
      why = refusal(in, [&] { return whyNoTail(*this, p.nnz, k); });
      continue;
    }
    Plan plan{.format = format, .integers = {{*at, k}, {key::kBlock, kBlockThreads}}};
    if (hasTail)
      plan.integers.emplace_back(*hasTail, count.entries > 0);
    const Leaves parts = leaves(plan, {p.rows, p.cols, p.nnz}, count);
    const std::string tooMuch =
        whyNot(parts, llvm::formatv("{0} with {1} = {2}", format, at->name, k), p);
    if (!tooMuch.empty()) {
      why = llvm::formatv("{0}; use a smaller {1}", tooMuch, at->name);
      continue;
    }
    addIndexTypes(plan, p.rows, p.cols, slotsOf(parts));
    out.push_back(std::move(plan));
  }
  return out.empty() ? why : "";
}

Traffic SplitByPosition::traffic(const PlanRequest &in, const Plan &plan) const {
  const SparsityProfile &p = in.profile;
  return trafficOf(leaves(plan, {p.rows, p.cols, p.nnz}, tailOf(p, positionOf(plan))), in, plan);
}

KernelSource SplitByPosition::source(const Plan &plan, const Problem &problem) const {
  return sourceOf(leaves(plan), plan, problem);
}

Steps SplitByPosition::steps(const Plan &plan, const Problem &problem, const Layout &layout) const {
  return stepsOf(leaves(plan), plan, problem, layout);
}

llvm::Error SplitByPosition::check(const Plan &plan, const MatrixSize &a,
                                   const TailCount &count) const {
  if (!at)
    return checkIndexTypes(plan, a.rows, a.cols, a.nnz);
  const int64_t k = positionOf(plan);
  if (!hasTail && count.entries == 0)
    return failWith(Status::notApplicable, whyNoTail(*this, a.nnz, k));
  if (hasTail && (count.entries > 0) != (plan.get(*hasTail) != 0))
    return fail(Status::notApplicable,
                "the plan's {0} = {1} does not fit the matrix, which has {2} entries beyond the "
                "first {3} = {4} of their rows",
                hasTail->name, plan.get(*hasTail), count.entries, at->name, k);
  const int64_t slots = slotsOf(leaves(plan, a, count));
  if (slots > kMaxSlots)
    return fail(Status::notApplicable,
                "{0} with {1} = {2} needs more than {3} slots for this matrix, the limit; use a "
                "smaller {1}",
                format, at->name, k, kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols, slots);
}

llvm::Expected<Layout> SplitByPosition::pack(const CsrView &a, const Plan &plan,
                                             const Problem &problem) const {
  const TailCount count = tailOf(a, positionOf(plan));
  if (llvm::Error error = check(plan, dimensionsOf(a), count))
    return error;
  return layoutOf(leaves(plan, dimensionsOf(a), count), a, plan, problem, !at);
}

} // namespace specmv
