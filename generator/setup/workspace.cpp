// Describes and emits set-up kernels, launches them, scans counts, and makes layouts.
#include "generator/setup/workspace.h"

#include "generator/setup/packing.h"

namespace specmv {

// --- Kernels -------------------------------------------------------------------------------------

// Describes and emits set-up kernels, scans counts, and makes layouts by kernels.

// --- Kernels -------------------------------------------------------------------------------------

// Describes and emits set-up kernels.

SetupKernel setupKernel(const char *function, const char *args, std::vector<ElementType> types,
                        Fields fields, int64_t blockThreads) {
  std::vector<Argument> arguments = argumentsOf(fields);
  return {{.name = std::string("specmv_") + function,
           .function = function,
           .plan = "",
           .args = args,
           .types = std::move(types),
           .blockThreads = blockThreads,
           .arguments = std::move(arguments),
           .beginsEarly = false},
          std::move(fields)};
}

KernelSource emitSetup(const std::string &purpose, const std::vector<std::string> &headers,
                       const std::vector<SetupKernel> &kernels) {
  std::vector<Kernel> described;
  described.reserve(kernels.size());
  for (const SetupKernel &kernel : kernels)
    described.push_back(kernel.kernel);
  return emitSource("Set-up kernels: " + purpose, headers, {}, described);
}

// --- Scan ----------------------------------------------------------------------------------------

// Launches the kernels of a scan.

constexpr const char *kBlockSums = "blockSums";

static SetupKernel scanKernel(const char *function, const char *array, ElementType type,
                              int64_t count, int64_t blocks) {
  Field data = scratch("data", type, count);
  data.argument.source = array;
  return setupKernel(function, "ScanArgs", {type},
                     {data, scratch(kBlockSums, ElementType::i64, blocks + 1),
                      wideNumber("count", count), wideNumber("blocks", blocks)});
}

std::vector<SetupKernel> scanKernels(const char *array, ElementType type) {
  return {scanKernel("scanSums", array, type, 0, 0), scanKernel("scanBlocks", array, type, 0, 0),
          scanKernel("scanPlaces", array, type, 0, 0), scanKernel("scanFew", array, type, 0, 0)};
}

static int64_t scanBlocksOf(int64_t count) { return ceilDiv(count, kScanPerBlock); }

// Up to this many blocks are scanned by one block, which takes no longer than two more launches.
constexpr int64_t kFewScanBlocks = 4;

// Leaves the sums of the blocks, or at least the sum of all elements, in the workspace.
static llvm::Error launchScan(Workspace &workspace, const KernelSource &source, const char *array,
                              ElementType type, int64_t count) {
  const int64_t blocks = scanBlocksOf(count);
  if (llvm::Error error =
          workspace.addScratch(kBlockSums, ElementType::i64, blocks + 1, Contents::undefined))
    return error;
  using Launches = std::vector<std::pair<const char *, int64_t>>;
  const Launches launches =
      blocks <= kFewScanBlocks
          ? Launches{{"scanFew", 1}}
          : Launches{{"scanSums", blocks}, {"scanBlocks", 1}, {"scanPlaces", blocks}};
  for (const auto &[function, grid] : launches)
    if (llvm::Error error =
            workspace.launch(source, scanKernel(function, array, type, count, blocks), grid))
      return error;
  return llvm::Error::success();
}

llvm::Error placeCounts(Workspace &workspace, const KernelSource &source, const char *array,
                        ElementType type, int64_t count) {
  if (llvm::Error error = launchScan(workspace, source, array, type, count))
    return error;
  workspace.drop(kBlockSums);
  return llvm::Error::success();
}

llvm::Expected<int64_t> scanCounts(Workspace &workspace, const KernelSource &source,
                                   const char *array, ElementType type, int64_t count) {
  if (llvm::Error error = launchScan(workspace, source, array, type, count))
    return error;
  auto total = readNumber(workspace, kBlockSums, ElementType::i64, scanBlocksOf(count));
  workspace.drop(kBlockSums);
  return total;
}

// --- Filling -------------------------------------------------------------------------------------

// Adds arrays, launches kernels one after another, and copies the CSR arrays.

llvm::Error launchAll(Workspace &workspace, const KernelSource &source,
                      const std::vector<SetupLaunch> &launches) {
  for (const SetupLaunch &launch : launches)
    if (llvm::Error error = workspace.launch(source, launch.kernel, launch.blocks))
      return error;
  return llvm::Error::success();
}

std::vector<SetupKernel> kernelsOf(const std::vector<SetupLaunch> &launches) {
  std::vector<SetupKernel> out;
  out.reserve(launches.size());
  for (const SetupLaunch &launch : launches)
    out.push_back(launch.kernel);
  return out;
}

// Adds the arrays of the layout that are not in `present`.
static llvm::Error addAbsent(Workspace &workspace, Layout layout,
                             const std::vector<std::string> &present) {
  std::erase_if(layout.arrays, [&](const LayoutArray &array) {
    return std::find(present.begin(), present.end(), array.name) != present.end();
  });
  return addArrays(workspace, layout);
}

llvm::Expected<Layout> filledLayout(Workspace &workspace, const KernelSource &source,
                                    const Fields &fields, const std::vector<SetupLaunch> &launches,
                                    const std::vector<std::string> &present) {
  Layout out = layoutOnGpu(fields);
  if (llvm::Error error = addAbsent(workspace, out, present))
    return error;
  if (llvm::Error error = launchAll(workspace, source, launches))
    return error;
  return out;
}

static int64_t copyBlocks(int64_t count) { return ceilDiv(count, kCopyPerBlock); }

SetupLaunch rowPtrCopy(const DeviceCsr &csr, const Types &types) {
  const int64_t count = csr.rows + 1;
  return {
      setupKernel("copyRowPtr", "CopyRowPtrArgs", {elementOf(csr.indexType), types.offset},
                  {csrRowPtrOf(csr), filled("rowPtr", types.offset), wideNumber("count", count)}),
      copyBlocks(count)};
}

SetupLaunch entriesCopy(const DeviceCsr &csr, const Types &types) {
  const ElementType index = elementOf(csr.indexType);
  return {setupKernel("copyEntries", "CopyEntriesArgs", {index, types.column, types.value},
                      joined({{csrColOf(csr)},
                              entriesOf(csr),
                              {filled("col", types.column), wideNumber("count", csr.nnz)}})),
          copyBlocks(csr.nnz)};
}

// `type` is the type of the index arrays.
static llvm::Expected<bool>
lendArrays(Workspace &workspace, ElementType type,
           std::initializer_list<std::pair<const char *, const char *>> arrays) {
  if (!workspace.lendsCsr() || type != elementOf(workspace.csr().indexType))
    return false;
  for (const auto &[lent, as] : arrays)
    if (llvm::Error error = workspace.lend(lent, as))
      return error;
  return true;
}

llvm::Expected<bool> lendRowPtr(Workspace &workspace, const Types &types) {
  return lendArrays(workspace, types.offset, {{kCsrRowPtr, "rowPtr"}});
}

llvm::Expected<bool> lendEntries(Workspace &workspace, const Types &types) {
  return lendArrays(workspace, types.column, {{kCsrCol, "col"}, {kCsrVal, "val"}});
}

// --- Workspace -----------------------------------------------------------------------------------

// Functions for all kinds of workspace.

Layout layoutOnGpu(const Fields &fields) {
  Layout out;
  out.isOnHost = false;
  addFields(out, fields);
  return out;
}

llvm::Error addArrays(Workspace &workspace, const Layout &layout) {
  const bool fillsValues = workspace.csr().entryTask == kStoreValue;
  for (const LayoutArray &array : layout.arrays)
    if (fillsValues || array.name != layout.valueArray)
      if (llvm::Error error =
              workspace.add(array.name, array.type, array.count(), Contents::undefined))
        return error;
  for (const LayoutArray &array : layout.scratch)
    if (llvm::Error error = workspace.add(array.name, array.type, array.count(), Contents::zeros))
      return error;
  return llvm::Error::success();
}

llvm::Expected<int64_t> readNumber(Workspace &workspace, const std::string &name, ElementType type,
                                   int64_t at) {
  int64_t wide = 0;
  int32_t narrow = 0;
  const bool isWide = sizeOf(type) == sizeof wide;
  if (llvm::Error error =
          workspace.read(name, at, 1, isWide ? static_cast<void *>(&wide) : &narrow))
    return error;
  return isWide ? wide : narrow;
}

} // namespace specmv
