// Launches the kernel that finds the blocks of each open row.
#include "generator/setup/open_rows.h"

#include "generator/shared/open_rows.h"

namespace specmv {

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
