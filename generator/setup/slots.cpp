// Finds the slots of entries by packing, and describes the kernels that store values in them.
#include "generator/setup/slots.h"

#include "generator/sources.h"

namespace specmv {

static int64_t chunksOf(const DeviceCsr &csr) { return ceilDiv(csr.nnz, kValuesPerChunk); }

SetupLaunch slotSorting(const DeviceCsr &csr) {
  return {setupKernel("sortSlots", "SortSlotsArgs", {},
                      {filled(kEntrySlots, ElementType::u32), filled(kSlotPlaces, ElementType::u16),
                       wideNumber("count", csr.nnz)}),
          chunksOf(csr)};
}

SetupLaunch valueStoring(const DeviceCsr &csr, const char *valueArray) {
  const ElementType value = elementOf(csr.valueType);
  return {
      setupKernel("storeValues", "StoreValuesArgs", {value},
                  {array(kEntrySlots, ElementType::u32, csr.nnz),
                   array(kSlotPlaces, ElementType::u16, csr.nnz), array(kCsrVal, value, csr.nnz),
                   filled("val", value, valueArray), wideNumber("count", csr.nnz)}),
      chunksOf(csr)};
}

static KernelSource emitSlots(ValueType type) {
  const DeviceCsr csr{{}, IndexType::i32, type};
  return emitSetup("slots of values", {"pack/values.cuh"},
                   kernelsOf({slotSorting(csr), valueStoring(csr, "")}));
}

const KernelSource &slotsSource(ValueType type) { return emittedOnce<emitSlots>(type); }

llvm::Expected<bool> findSlots(Workspace &w, const Format &format, const Plan &plan,
                               const Problem &problem, const Order *order) {
  if (llvm::Error error = w.add(kEntrySlots, ElementType::u32, w.csr().nnz, Contents::zeros))
    return error;
  w.setEntryTask(kStoreSlot);
  auto layout = format.layoutOn(w, plan, problem, {.order = order});
  if (!layout)
    return layout.takeError();
  return layout->has_value();
}

} // namespace specmv
