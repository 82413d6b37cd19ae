// Copies CSR arrays into a layout, in the index types of its plan.
#include "generator/shared/typed_array.h"

#include <cstdint>

namespace specmv {

// --- Csr arrays ----------------------------------------------------------------------------------

Fields csrFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz) {
  const auto [offset, column] = indexTypesOf(plan);
  return joined({{array("rowPtr", offset, rows + 1), array("col", column, nnz)},
                 valueFields(plan, problem, nnz)});
}

void fillCsr(Layout &out, const CsrView &a) {
  visitPattern(a, [&](auto pattern) {
    copyIndices(*out.find("rowPtr"), pattern.rowPtr, a.rows + 1);
    copyIndices(*out.find("col"), pattern.col, a.nnz);
  });
}

} // namespace specmv
