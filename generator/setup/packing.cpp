// Functions that the packings of several formats use.
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

Field csrColOf(const DeviceCsr &csr) { return array(kCsrCol, elementOf(csr.indexType), csr.nnz); }

// Each task uses only some of the pointers.
Fields entriesOf(const DeviceCsr &csr) {
  const ElementType value = elementOf(csr.valueType);
  const bool storesValues = csr.entryTask == kStoreValue, storesSlots = csr.entryTask == kStoreSlot;
  Fields out = {pointerIf(storesValues, array(kCsrVal, value, csr.nnz)),
                pointerIf(storesValues, filled("val", value)),
                pointerIf(storesSlots, filled(kEntrySlots, ElementType::u32)),
                narrowNumber("task", csr.entryTask)};
  for (Field &field : out)
    field.argument.field = "entries";
  return out;
}

Fields csrArraysOf(const DeviceCsr &csr) {
  return joined({{csrRowPtrOf(csr), csrColOf(csr)}, entriesOf(csr)});
}

llvm::Error addValues(Workspace &workspace, const Layout &layout) {
  const LayoutArray *values = layout.find(layout.valueArray);
  const bool isFilled = values && workspace.csr().entryTask == kStoreValue;
  return isFilled ? workspace.add(values->name, values->type, values->count(), Contents::undefined)
                  : llvm::Error::success();
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
