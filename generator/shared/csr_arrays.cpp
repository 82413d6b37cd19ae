// Copies CSR arrays into a layout, in the index types of its plan.
#include "generator/shared/csr_arrays.h"
#include "generator/shared/typed_array.h"

namespace specmv {

Layout csrLayout(const CsrView &a, const IndexTypes &index, const Problem &problem) {
  Layout out;
  out.add("rowPtr", index.offset, a.rows + 1);
  out.add("col", index.column, a.nnz);
  out.add("val", elementOf(problem.type), a.nnz);
  visitPattern(a, [&](auto pattern) {
    copyIndices(*out.find("rowPtr"), pattern.rowPtr, a.rows + 1);
    copyIndices(*out.find("col"), pattern.col, a.nnz);
  });
  storeValues(out, a);
  out.integers = {{"rows", a.rows}};
  return out;
}

int64_t csrStoredBytes(const SparsityProfile &p, ValueType type, const IndexTypes &index) {
  return (p.rows + 1) * static_cast<int64_t>(sizeOf(index.offset)) +
         p.nnz * static_cast<int64_t>(sizeOf(index.column) + sizeOf(type));
}

} // namespace specmv
