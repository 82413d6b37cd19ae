// Finds slots of entries, hot columns and rows that blocks share, for the packings of several
// formats.
#include "generator/setup/packing.h"

#include "generator/index_types.h"
#include "generator/setup/profile.h"
#include "generator/setup/workspace.h"
#include "generator/shared/open_rows.h"
#include "generator/sources.h"

namespace specmv {

// --- Packing -------------------------------------------------------------------------------------

// Functions that the packings of several formats use.

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

// --- Slots ---------------------------------------------------------------------------------------

// Finds the slots of entries by packing, and describes the kernels that store values in them.

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

// --- Hot columns ---------------------------------------------------------------------------------

// Launches the kernels that find and renumber the hottest columns.

constexpr const char *kLeast = "leastDegree", *kHotStart = "hotStart", *kNumbers = "columnNumbers";

namespace {
struct HotJob {
  const DeviceCsr &csr;
  ElementType column;
  int64_t hot, slots;

  int64_t columnBlocks() const { return ceilDiv(csr.cols, int64_t{kSetupBlock}); }
  Field degrees() const { return array("degrees", ElementType::u32, csr.cols, kDegrees); }
  static Field least() { return array("least", ElementType::u32, 1, kLeast); }
  Field cols() const { return wideNumber("cols", csr.cols); }
  Field most() const { return narrowNumber("hot", hot); }
};
} // namespace

static std::vector<SetupLaunch> hotSearch(const HotJob &job) {
  std::vector<SetupLaunch> out = degreeLaunches(job.csr);
  out.push_back({setupKernel("hotLeast", "HotLeastArgs", {},
                             {array("counts", ElementType::u32, int64_t{kMostCountedDegree} + 1,
                                    kDegreeCounts),
                              filled("least", ElementType::u32, kLeast), job.most()}),
                 1});
  out.push_back({setupKernel("hotStarts", "HotStartsArgs", {},
                             {job.degrees(), HotJob::least(),
                              filled("hotStart", ElementType::i64, kHotStart), job.cols()}),
                 job.columnBlocks()});
  return out;
}

static std::vector<SetupLaunch> hotNumbering(const HotJob &job) {
  return {{setupKernel("hotNumbers", "HotNumbersArgs", {job.column},
                       {job.degrees(), HotJob::least(),
                        array("hotStart", ElementType::i64, job.columnBlocks() + 1, kHotStart),
                        filled("numbers", job.column, kNumbers), filled("hotCol", job.column),
                        job.cols(), job.most()}),
           job.columnBlocks()},
          {setupKernel("hotRenumber", "HotRenumberArgs", {job.column},
                       {array("numbers", job.column, job.csr.cols, kNumbers),
                        filled("col", job.column), wideNumber("slots", job.slots)}),
           ceilDiv(job.slots, int64_t{kSetupBlock})}};
}

std::vector<SetupKernel> hotKernels(const DeviceCsr &csr, ElementType column) {
  const HotJob job{csr, column, 0, 0};
  std::vector<SetupKernel> out;
  for (const std::vector<SetupLaunch> &launches : {hotSearch(job), hotNumbering(job)})
    for (const SetupLaunch &launch : launches)
      out.push_back(launch.kernel);
  return out;
}

llvm::Error renumberHot(Workspace &w, const KernelSource &source, ElementType column, int64_t hot,
                        int64_t slots) {
  const HotJob job{w.csr(), column, hot, slots};
  if (llvm::Error error = w.add("hotCol", column, hot, Contents::zeros))
    return error;
  if (llvm::Error error = addDegrees(w))
    return error;
  if (llvm::Error error = w.addScratch(kLeast, ElementType::u32, 1, Contents::zeros))
    return error;
  if (llvm::Error error =
          w.addScratch(kHotStart, ElementType::i64, job.columnBlocks() + 1, Contents::undefined))
    return error;
  if (llvm::Error error = w.addScratch(kNumbers, column, job.csr.cols, Contents::undefined))
    return error;
  if (llvm::Error error = launchAll(w, source, hotSearch(job)))
    return error;
  if (llvm::Error error =
          placeCounts(w, source, kHotStart, ElementType::i64, job.columnBlocks() + 1))
    return error;
  if (llvm::Error error = launchAll(w, source, hotNumbering(job)))
    return error;
  dropDegrees(w);
  for (const char *name : {kLeast, kHotStart, kNumbers})
    w.drop(name);
  return llvm::Error::success();
}

// --- Open rows -----------------------------------------------------------------------------------

// Launches the kernel that finds the blocks of each open row.

SetupKernel openRowsKernel(int64_t blocks) {
  return setupKernel("openRows", "OpenRowsArgs", {ElementType::i64},
                     {array(kOpenRow, ElementType::i64, blocks + 1),
                      filled("openFirst", ElementType::u32), filled("openLast", ElementType::u32),
                      wideNumber("boundaries", blocks + 1)});
}

llvm::Error packOpenRows(Workspace &workspace, const KernelSource &source, const Problem &problem,
                         int64_t blocks) {
  const Layout rows = layoutOnGpu(openRowFields(problem, blocks));
  if (llvm::Error error = addArrays(workspace, rows))
    return error;
  if (llvm::Error error = workspace.launch(source, openRowsKernel(blocks),
                                           ceilDiv(blocks + 1, int64_t{kSetupBlock})))
    return error;
  workspace.drop(kOpenRow);
  return llvm::Error::success();
}

} // namespace specmv
