// Packs a matrix for HYB on the host, and refuses what does not fit.
#include "generator/formats/hyb/layout.h"

#include "generator/shared/ell_part.h"
#include "models/base/error.h"

namespace specmv {

Triplets hybTail(const Plan &plan, int64_t rows, int64_t count) {
  return {count, ellSlots(rows, plan.get(key::kHybK)), kTailColumns};
}

Fields hybFields(const Plan &plan, const Problem &problem, int64_t rows, const Triplets &tail) {
  const Fields ell = ellFields(plan, problem, rows, plan.get(key::kHybK));
  return tail.count > 0 ? joined({ell, tripletFields(plan, problem, tail)}) : ell;
}

llvm::Error checkHyb(const Plan &plan, const MatrixSize &a, int64_t tail) {
  const int64_t k = plan.get(key::kHybK), slots = ellSlots(a.rows, k) + tail;
  if ((tail > 0) != (plan.get(key::kHybTail) != 0))
    return fail(Status::notApplicable,
                "the plan's tail = {0} does not fit the matrix, which has {1} entries beyond the "
                "first hyb.k = {2} of their rows",
                plan.get(key::kHybTail), tail, k);
  if (slots > kMaxSlots)
    return fail(Status::notApplicable, "hyb needs {0} slots for this matrix; the limit is {1}",
                slots, kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols, slots);
}

llvm::Expected<Layout> hybLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  const int64_t k = plan.get(key::kHybK);
  const Triplets tail = hybTail(plan, a.rows, tailEntries(a, k));
  if (llvm::Error error = checkHyb(plan, dimensionsOf(a), tail.count))
    return error;
  Layout out;
  addFields(out, hybFields(plan, problem, a.rows, tail));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packEll(a, k, *out.find("col"), out.slots);
  if (tail.count > 0)
    packTriplets(a, plan, k, tail, out);
  return out;
}

} // namespace specmv
