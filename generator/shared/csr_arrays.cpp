// Copies CSR arrays into a layout, in the index types of its plan.
#include "generator/shared/csr_arrays.h"

#include "generator/shared/typed_array.h"

namespace specmv {

Fields csrFields(const Types &types, int64_t rows, int64_t nnz) {
  return {array("rowPtr", types.offset, rows + 1), array("col", types.column, nnz),
          array("val", types.value, nnz)};
}

void fillCsr(Layout &out, const CsrView &a) {
  visitPattern(a, [&](auto pattern) {
    copyIndices(*out.find("rowPtr"), pattern.rowPtr, a.rows + 1);
    copyIndices(*out.find("col"), pattern.col, a.nnz);
  });
  storeValues(out, a);
}

} // namespace specmv
