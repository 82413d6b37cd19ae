// Adds arrays, launches kernels one after another, and copies the CSR arrays.
#include "generator/setup/filling.h"

namespace specmv {

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

} // namespace specmv
