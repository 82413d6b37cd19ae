// Finds the slots of entries by packing their numbers (templates/pack/values.cuh).
#include "generator/setup/slots.h"

#include "generator/sources.h"

namespace specmv {

// As wide as a value, so that it can be packed in its place.
static ElementType wordOf(ValueType type) {
  return type == ValueType::f32 ? ElementType::u32 : ElementType::u64;
}

static int64_t valueBlocks(int64_t count) { return ceilDiv(count, kCopyPerBlock); }

static SetupLaunch entryNumbering(const DeviceCsr &csr) {
  const ElementType word = wordOf(csr.valueType);
  return {setupKernel("numberEntries", "NumberEntriesArgs", {word},
                      {filled(kCsrVal, word), wideNumber("count", csr.nnz)}),
          valueBlocks(csr.nnz)};
}

static SetupLaunch slotFinding(const DeviceCsr &csr, const char *valueArray, int64_t elements) {
  const ElementType word = wordOf(csr.valueType);
  return {setupKernel("findSlots", "FindSlotsArgs", {word},
                      {array("val", word, elements, valueArray),
                       filled(kEntrySlots, ElementType::u32), wideNumber("count", elements)}),
          valueBlocks(elements)};
}

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
                   kernelsOf({entryNumbering(csr), slotFinding(csr, "", 0), slotSorting(csr),
                              valueStoring(csr, "")}));
}

const KernelSource &slotsSource(ValueType type) { return emittedOnce<emitSlots>(type); }

llvm::Expected<bool> findSlots(Workspace &w, const Format &format, const Plan &plan,
                               const Problem &problem) {
  const KernelSource &kernels = slotsSource(problem.type);
  if (llvm::Error error = launchAll(w, kernels, {entryNumbering(w.csr())}))
    return error;
  auto layout = format.layoutOn(w, plan, problem);
  if (!layout)
    return layout.takeError();
  if (!*layout)
    return false;
  if (llvm::Error error = w.add(kEntrySlots, ElementType::u32, w.csr().nnz, Contents::zeros))
    return error;
  const LayoutArray &val = *(*layout)->find((*layout)->valueArray);
  if (llvm::Error error =
          launchAll(w, kernels, {slotFinding(w.csr(), val.name.c_str(), val.count())}))
    return error;
  return true;
}

} // namespace specmv
