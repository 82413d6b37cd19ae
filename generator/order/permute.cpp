// Launches the kernels of templates/setup/permute.cuh, and directs others to the permuted arrays.
#include "generator/order/permute.h"

#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"
#include "models/base/error.h"

#include <array>

namespace specmv {

constexpr const char *kPlaceOf = "orderPlaceOf", *kPermutedRowPtr = "permutedRowPtr",
                     *kPermutedCol = "permutedCol", *kPermutedVal = "permutedVal",
                     *kEntryAt = "permutedEntryAt", *kPermutedSlots = "permutedSlots";

// The arrays for which the permuted matrix has others.
constexpr std::array<std::pair<const char *, const char *>, 4> kReplaced{
    {{kCsrRowPtr, kPermutedRowPtr},
     {kCsrCol, kPermutedCol},
     {kCsrVal, kPermutedVal},
     {kEntrySlots, kPermutedSlots}}};

static const char *replacedName(const std::string &name) {
  for (const auto &[from, to] : kReplaced)
    if (name == from)
      return to;
  return nullptr;
}

static std::string nameOfPermuted(const std::string &name) {
  const char *other = replacedName(name);
  return other ? other : name;
}

static SetupLaunch rowPermuting(const DeviceCsr &csr) {
  const ElementType index = elementOf(csr.indexType);
  return {setupKernel("permuteRows", "PermuteRowsArgs", {index},
                      {csrRowPtrOf(csr), array("rowAt", ElementType::i32, csr.rows, kOrderRowAt),
                       filled("placeOf", ElementType::i32, kPlaceOf),
                       filled("rowPtr", index, kPermutedRowPtr), wideNumber("rows", csr.rows)}),
          ceilDiv(csr.rows, int64_t{kSetupBlock})};
}

static SetupLaunch entryPermuting(const DeviceCsr &csr) {
  const ElementType index = elementOf(csr.indexType), value = elementOf(csr.valueType);
  const bool movesValues = csr.entryTask == kStoreValue, notesEntries = csr.entryTask == kStoreSlot;
  return {setupKernel("permuteEntries", "PermuteEntriesArgs", {index, value},
                      {csrRowPtrOf(csr), csrColOf(csr),
                       pointerIf(movesValues, array("csrVal", value, csr.nnz, kCsrVal)),
                       array("rowAt", ElementType::i32, csr.rows, kOrderRowAt),
                       array("placeOf", ElementType::i32, csr.rows, kPlaceOf),
                       array("rowPtr", index, csr.rows + 1, kPermutedRowPtr),
                       filled("col", index, kPermutedCol),
                       pointerIf(movesValues, filled("val", value, kPermutedVal)),
                       pointerIf(notesEntries, filled("entryAt", ElementType::u32, kEntryAt)),
                       wideNumber("rows", csr.rows)}),
          ceilDiv(csr.rows, int64_t{kPermutedRows})};
}

static SetupLaunch slotUnpermuting(const DeviceCsr &csr) {
  return {setupKernel("unpermuteSlots", "UnpermuteSlotsArgs", {},
                      {array("permutedSlots", ElementType::u32, csr.nnz, kPermutedSlots),
                       array("entryAt", ElementType::u32, csr.nnz, kEntryAt),
                       filled("slots", ElementType::u32, kEntrySlots), wideNumber("nnz", csr.nnz)}),
          ceilDiv(csr.nnz, int64_t{kSetupBlock})};
}

template <IndexType index> static KernelSource emitPermute(ValueType value) {
  const DeviceCsr csr{{}, index, value};
  std::vector<SetupKernel> kernels =
      kernelsOf({rowPermuting(csr), entryPermuting(csr), slotUnpermuting(csr)});
  for (SetupKernel &kernel : scanKernels(kPermutedRowPtr, elementOf(index)))
    kernels.push_back(std::move(kernel));
  return emitSetup("permuted rows and columns", {"setup/permute.cuh", kScanHeader}, kernels);
}

const KernelSource &permuteSource(IndexType index, ValueType value) {
  return index == IndexType::i32 ? emittedOnce<emitPermute<IndexType::i32>>(value)
                                 : emittedOnce<emitPermute<IndexType::i64>>(value);
}

llvm::Error PermutedWorkspace::permute(const Order &order) {
  const DeviceCsr &csr = inner_.csr();
  const KernelSource &source = permuteSource(csr.indexType, csr.valueType);
  const ElementType index = elementOf(csr.indexType);
  const int64_t values = csr.entryTask == kStoreValue ? csr.nnz : 0,
                slots = csr.entryTask == kStoreSlot ? csr.nnz : 0;
  const auto add = [&](const char *name, ElementType type, int64_t count) {
    return [this, name, type, count] { return inner_.add(name, type, count, Contents::undefined); };
  };
  return inTurn(
      add(kOrderRowAt, ElementType::i32, csr.rows), add(kPlaceOf, ElementType::i32, csr.rows),
      add(kPermutedRowPtr, index, csr.rows + 1), add(kPermutedCol, index, csr.nnz),
      add(kPermutedVal, elementOf(csr.valueType), values), add(kEntryAt, ElementType::u32, slots),
      add(kPermutedSlots, ElementType::u32, slots),
      [&] { return inner_.write(kOrderRowAt, order.rowAt.data(), csr.rows); },
      [&] { return launchAll(inner_, source, {rowPermuting(csr)}); },
      [&] { return placeCounts(inner_, source, kPermutedRowPtr, index, csr.rows + 1); },
      [&] { return launchAll(inner_, source, {entryPermuting(csr)}); });
}

llvm::Expected<std::unique_ptr<PermutedWorkspace>> PermutedWorkspace::make(Workspace &inner,
                                                                           const Order &order) {
  std::unique_ptr<PermutedWorkspace> out(new PermutedWorkspace(inner));
  if (llvm::Error error = out->permute(order))
    return error;
  return out;
}

PermutedWorkspace::~PermutedWorkspace() {
  for (const char *name :
       {kPlaceOf, kPermutedRowPtr, kPermutedCol, kPermutedVal, kEntryAt, kPermutedSlots})
    inner_.drop(name);
}

llvm::Error PermutedWorkspace::finishSlots() {
  return launchAll(inner_, permuteSource(csr().indexType, csr().valueType),
                   {slotUnpermuting(csr())});
}

llvm::Error PermutedWorkspace::add(const std::string &name, ElementType type, int64_t count,
                                   Contents contents) {
  return inner_.add(name, type, count, contents);
}

llvm::Error PermutedWorkspace::addScratch(const std::string &name, ElementType type, int64_t count,
                                          Contents contents) {
  return inner_.addScratch(name, type, count, contents);
}

llvm::Error PermutedWorkspace::lend(const std::string &array, const std::string &as) {
  return inner_.lend(nameOfPermuted(array), as);
}

void PermutedWorkspace::drop(const std::string &name) { inner_.drop(nameOfPermuted(name)); }

llvm::Error PermutedWorkspace::launch(const KernelSource &source, const SetupKernel &kernel,
                                      int64_t blocks) {
  SetupKernel permuted = kernel;
  for (Field &field : permuted.fields)
    if (const char *other = replacedName(field.argument.layoutName());
        other && isPointer(field.argument.binding))
      field.argument.source = other;
  return inner_.launch(source, permuted, blocks);
}

llvm::Error PermutedWorkspace::read(const std::string &name, int64_t first, int64_t count,
                                    void *to) {
  return inner_.read(nameOfPermuted(name), first, count, to);
}

llvm::Error PermutedWorkspace::write(const std::string &name, const void *from, int64_t count) {
  return inner_.write(nameOfPermuted(name), from, count);
}

} // namespace specmv
