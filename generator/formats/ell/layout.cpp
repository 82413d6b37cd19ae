// Packs a matrix for ELL, and refuses what does not fit.
#include "generator/formats/ell/layout.h"

#include "generator/shared/ell_part.h"
#include "models/base/error.h"

namespace specmv {

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
  const int64_t width = plan.get(key::kEllWidth);
  Layout out;
  addFields(out, ellFields(plan, problem, a.rows, width));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packEll(a, width, *out.find("col"), out.slots);
  return out;
}

} // namespace specmv
