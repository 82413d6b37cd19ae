// Launches the kernels that order rows by length and find the longest.
#include "generator/setup/row_order.h"

#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"

#include "llvm/Support/MathExtras.h"

namespace specmv {

// --- Longest -------------------------------------------------------------------------------------

// Launches the kernel that finds the longest row.

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

// --- Length order --------------------------------------------------------------------------------

// Launches the passes that order all rows by length.

constexpr const char *kDigitCounts = "digitCounts", *kOtherOrder = "otherOrder";

namespace {
// One pass: the arrays of the order before and after it.
struct OrderPass {
  const char *from, *to;
  ElementType type;
  int64_t longest;
  int shift;
};
} // namespace

static int64_t lengthTilesOf(const DeviceCsr &csr) { return ceilDiv(csr.rows, kLengthTile); }

static Fields passNumbersOf(const DeviceCsr &csr, const OrderPass &pass) {
  return {wideNumber("rows", csr.rows), wideNumber("tiles", lengthTilesOf(csr)),
          wideNumber("longest", pass.longest), narrowNumber("shift", pass.shift)};
}

static SetupLaunch digitCounting(const DeviceCsr &csr, const OrderPass &pass) {
  return {setupKernel("lengthCounts", "LengthCountsArgs", {elementOf(csr.indexType), pass.type},
                      joined({{csrRowPtrOf(csr), array("from", pass.type, csr.rows, pass.from),
                               filled("counts", pass.type, kDigitCounts)},
                              passNumbersOf(csr, pass)})),
          lengthTilesOf(csr)};
}

static SetupLaunch rowMoving(const DeviceCsr &csr, const OrderPass &pass) {
  return {setupKernel("lengthMoves", "LengthMovesArgs", {elementOf(csr.indexType), pass.type},
                      joined({{csrRowPtrOf(csr), array("from", pass.type, csr.rows, pass.from),
                               array("counts", pass.type, 0, kDigitCounts),
                               filled("to", pass.type, pass.to)},
                              passNumbersOf(csr, pass)})),
          lengthTilesOf(csr)};
}

std::vector<std::string> lengthOrderHeaders() { return {"setup/length_order.cuh", kScanHeader}; }

std::vector<SetupKernel> lengthOrderKernels(const DeviceCsr &csr, ElementType type) {
  const OrderPass pass{"", "", type, 0, 0};
  std::vector<SetupKernel> out = scanKernels(kDigitCounts, type);
  out.push_back(digitCounting(csr, pass).kernel);
  out.push_back(rowMoving(csr, pass).kernel);
  return out;
}

static llvm::Error runPass(Workspace &w, const KernelSource &source, const OrderPass &pass) {
  const int64_t counts = kLengthDigits * lengthTilesOf(w.csr()) + 1;
  if (llvm::Error error = w.addScratch(kDigitCounts, pass.type, counts, Contents::undefined))
    return error;
  if (llvm::Error error = launchAll(w, source, {digitCounting(w.csr(), pass)}))
    return error;
  if (llvm::Error error = placeCounts(w, source, kDigitCounts, pass.type, counts))
    return error;
  if (llvm::Error error = launchAll(w, source, {rowMoving(w.csr(), pass)}))
    return error;
  w.drop(kDigitCounts);
  return llvm::Error::success();
}

// The passes alternate between two arrays; the last pass writes to the caller's array.
llvm::Error orderAllRows(Workspace &w, const KernelSource &source, const char *array,
                         ElementType type, int64_t longest) {
  int passes = 1;
  while (longest >> (passes * kLengthDigitBits) != 0)
    ++passes;
  if (llvm::Error error =
          w.add(kOtherOrder, type, passes > 1 ? w.csr().rows : 0, Contents::undefined))
    return error;
  for (int pass = 0; pass < passes; ++pass) {
    const bool isOwn = (passes - pass) % 2 != 0;
    const char *from = isOwn ? kOtherOrder : array, *to = isOwn ? array : kOtherOrder;
    if (llvm::Error error = runPass(w, source, {from, to, type, longest, pass * kLengthDigitBits}))
      return error;
  }
  w.drop(kOtherOrder);
  return llvm::Error::success();
}

// --- Row order -----------------------------------------------------------------------------------

// Launches the kernel that orders rows.

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
