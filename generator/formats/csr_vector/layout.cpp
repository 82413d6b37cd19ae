// Packs a matrix for CSR-vector on the host.
#include "generator/formats/csr_vector/layout.h"

#include "generator/shared/typed_array.h"

namespace specmv {

Fields csrVectorFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz) {
  return joined({csrFields(plan, problem, rows, nnz),
                 vectors(problem),
                 {number("rows", indexTypesOf(plan).offset, rows)}});
}

llvm::Expected<Layout> csrVectorLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, a.nnz))
    return error;
  Layout out;
  addFields(out, csrVectorFields(plan, problem, a.rows, a.nnz));
  fillCsr(out, a);
  return out;
}

} // namespace specmv
