// Packs a matrix for COO on the host.
#include "generator/formats/coo/layout.h"

#include "generator/shared/ell_part.h"

namespace specmv {

Fields cooFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz) {
  return joined(
      {ellFields(plan, problem, rows, 0), tripletFields(plan, problem, cooTriplets(nnz))});
}

llvm::Expected<Layout> cooLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, a.nnz))
    return error;
  Layout out;
  addFields(out, cooFields(plan, problem, a.rows, a.nnz));
  packTriplets(a, plan, 0, cooTriplets(a.nnz), out);
  return out;
}

} // namespace specmv
