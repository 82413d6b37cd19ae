// What packings share.
#include "generator/setup/packing.h"

#include "generator/index_types.h"

namespace specmv {

std::vector<ElementType> packTypes(IndexType csrIndex, const Plan &plan, const Problem &problem) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return {elementOf(csrIndex), offset, column, value};
}

Field csrRowPtrOf(const DeviceCsr &csr) {
  return array(kCsrRowPtr, elementOf(csr.indexType), csr.rows + 1);
}

Fields csrArraysOf(const DeviceCsr &csr) {
  return {csrRowPtrOf(csr), array(kCsrCol, elementOf(csr.indexType), csr.nnz),
          array(kCsrVal, elementOf(csr.valueType), csr.nnz)};
}

Field wideNumber(const char *name, int64_t value) { return number(name, ElementType::i64, value); }
Field narrowNumber(const char *name, int64_t value) {
  return number(name, ElementType::i32, value);
}

Field filled(const char *name, ElementType type, const char *stored) {
  Field out = scratch(name, type, 0);
  out.argument.source = stored;
  return out;
}

} // namespace specmv
