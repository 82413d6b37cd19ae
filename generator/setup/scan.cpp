// Launches the kernels of a scan.
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

} // namespace specmv
