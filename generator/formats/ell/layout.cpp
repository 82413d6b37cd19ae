// Packs a matrix for ELL, and refuses what does not fit.
#include "generator/formats/ell/layout.h"

#include "generator/formats/ell/part.h"
#include "models/base/error.h"

namespace specmv {

Leaves ellLeaves(const Plan &plan, int64_t rows, int64_t entries) {
  return {{&kEllPart, {.rows = rows, .last = plan.get(key::kEllWidth), .entries = entries}}};
}

llvm::Error checkEll(const Plan &plan, const MatrixSize &a, int64_t longestRow) {
  const int64_t width = plan.get(key::kEllWidth);
  if (longestRow > width)
    return fail(Status::notApplicable,
                "the plan's ell.width = {0} is less than the longest row of the matrix, which has "
                "{1} entries",
                width, longestRow);
  const int64_t slots = ellSlots(a.rows, width);
  if (slots > kMaxSlots)
    return fail(Status::notApplicable, "ell of width {0} needs {0} x {1} slots; the limit is {2}",
                width, ellStride(a.rows), kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols, slots);
}

llvm::Expected<Layout> ellLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkEll(plan, dimensionsOf(a), longestRow(a)))
    return error;
  return layoutOf(ellLeaves(plan, a.rows, a.nnz), a, plan, problem, false);
}

} // namespace specmv
