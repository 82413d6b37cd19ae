// Launches the passes that order all rows by length.
#include "generator/setup/length_order.h"

#include "generator/setup/filling.h"
#include "generator/setup/scan.h"

namespace specmv {

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

} // namespace specmv
