// Launches the three kernels of a scan.
#include "generator/setup/scan.h"

namespace specmv {

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
          scanKernel("scanPlaces", array, type, 0, 0)};
}

// Launches the kernels; the sum of all is then element `blocks` of the blocks' sums.
static llvm::Error launchScan(Workspace &workspace, const KernelSource &source, const char *array,
                              ElementType type, int64_t count, int64_t blocks) {
  if (llvm::Error error =
          workspace.add(kBlockSums, ElementType::i64, blocks + 1, Contents::undefined))
    return error;
  const std::pair<const char *, int64_t> launches[] = {
      {"scanSums", blocks}, {"scanBlocks", 1}, {"scanPlaces", blocks}};
  for (const auto &[function, grid] : launches)
    if (llvm::Error error =
            workspace.launch(source, scanKernel(function, array, type, count, blocks), grid))
      return error;
  return llvm::Error::success();
}

llvm::Expected<int64_t> scanCounts(Workspace &workspace, const KernelSource &source,
                                   const char *array, ElementType type, int64_t count) {
  const int64_t blocks = ceilDiv(count, kScanPerBlock);
  if (llvm::Error error = launchScan(workspace, source, array, type, count, blocks))
    return error;
  auto total = readNumber(workspace, kBlockSums, ElementType::i64, blocks);
  workspace.drop(kBlockSums);
  return total;
}

llvm::Error scanUnread(Workspace &workspace, const KernelSource &source, const char *array,
                       ElementType type, int64_t count) {
  llvm::Error error =
      launchScan(workspace, source, array, type, count, ceilDiv(count, kScanPerBlock));
  workspace.drop(kBlockSums);
  return error;
}

} // namespace specmv
