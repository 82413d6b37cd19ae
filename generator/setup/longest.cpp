// Launches the kernel that finds the longest row.
#include "generator/setup/longest.h"

namespace specmv {

constexpr const char *kLongestRow = "longest";

SetupKernel longestRowKernel(const DeviceCsr &csr) {
  return setupKernel(
      "longestRow", "LongestRowArgs", {elementOf(csr.indexType)},
      {csrRowPtrOf(csr), scratch(kLongestRow, ElementType::i64, 1), wideNumber("rows", csr.rows)});
}

llvm::Expected<int64_t> longestRowOn(Workspace &workspace, const KernelSource &source) {
  if (llvm::Error error = workspace.addScratch(kLongestRow, ElementType::i64, 1, Contents::zeros))
    return error;
  const int64_t blocks = std::min(kFewBlocks, ceilDiv(workspace.csr().rows, kSetupBlock));
  if (llvm::Error error = workspace.launch(source, longestRowKernel(workspace.csr()), blocks))
    return error;
  auto longest = readNumber(workspace, kLongestRow, ElementType::i64, 0);
  workspace.drop(kLongestRow);
  return longest;
}

} // namespace specmv
