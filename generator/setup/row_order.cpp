// Launches the kernel that orders rows.
#include "generator/setup/row_order.h"

#include "llvm/Support/MathExtras.h"

namespace specmv {

static SetupKernel orderKernel(bool isWide, const DeviceCsr &csr, int64_t window) {
  SetupKernel kernel =
      setupKernel(isWide ? "orderWide" : "orderNarrow", "RowOrderArgs", {elementOf(csr.indexType)},
                  {csrRowPtrOf(csr), filled("perm", ElementType::u16), wideNumber("rows", csr.rows),
                   narrowNumber("logWindow", llvm::Log2_64(static_cast<uint64_t>(window)))},
                  kOrderBlock);
  kernel.kernel.sharedBytes = isWide ? kWideTile * 4 : 0;
  return kernel;
}

std::vector<SetupKernel> rowOrderKernels(IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex};
  return {orderKernel(false, csr, 1), orderKernel(true, csr, 1)};
}

bool canOrderRows(int64_t window) { return window <= kWideTile; }

llvm::Error orderRows(Workspace &workspace, const KernelSource &source, int64_t window) {
  const bool isWide = window > kNarrowTile;
  return workspace.launch(source, orderKernel(isWide, workspace.csr(), window),
                          ceilDiv(workspace.csr().rows, isWide ? kWideTile : kNarrowTile));
}

} // namespace specmv
