// Packs SELL with columns in bytes on the GPU (templates/pack/sell_bytes.cuh).
#include "generator/formats/sell_bytes/packing.h"

#include "generator/formats/sell_bytes/layout.h"
#include "generator/setup/packing.h"
#include "generator/setup/row_order.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"
#include "models/base/error.h"

#include <optional>

namespace specmv {

constexpr const char *kBytesLines = "sliceLines", *kBytesFours = "sliceFours",
                     *kBytesWords = "sliceWords", *kBytesWidths = "sliceWidths",
                     *kBytesTooLong = "longSlices";
constexpr ElementType kBytesCount = ElementType::i64;

static int64_t slicesOf(const DeviceCsr &csr) { return ceilDiv(csr.rows, int64_t{kLineRows}); }

static SetupLaunch bytesCounting(const DeviceCsr &csr, int64_t sigma) {
  return {setupKernel("bytesCount", "BytesCountArgs", {elementOf(csr.indexType)},
                      {csrRowPtrOf(csr), csrColOf(csr), array("perm", ElementType::u16, csr.rows),
                       filled("lines", kBytesCount, kBytesLines),
                       filled("fours", kBytesCount, kBytesFours),
                       filled("words", kBytesCount, kBytesWords),
                       filled("widths", ElementType::u32, kBytesWidths),
                       filled("tooLong", kBytesCount, kBytesTooLong), wideNumber("rows", csr.rows),
                       narrowNumber("sigma", sigma)}),
          ceilDiv(csr.rows, int64_t{kSetupBlock})};
}

static SetupLaunch bytesFilling(const DeviceCsr &csr, int64_t sigma) {
  return {setupKernel("bytesFill", "BytesFillArgs",
                      {elementOf(csr.indexType), elementOf(csr.valueType)},
                      joined({csrArraysOf(csr),
                              {array("perm", ElementType::u16, csr.rows),
                               array("lines", kBytesCount, 0, kBytesLines),
                               array("fours", kBytesCount, 0, kBytesFours),
                               array("words", kBytesCount, 0, kBytesWords),
                               array("widths", ElementType::u32, 0, kBytesWidths),
                               filled("heads", ElementType::u32), filled("bases", ElementType::i32),
                               filled("offsets", ElementType::u32, "words"),
                               wideNumber("rows", csr.rows), narrowNumber("sigma", sigma)}})),
          ceilDiv(csr.rows, int64_t{kSetupBlock})};
}

static KernelSource bytesPackSource(const Plan & /*plan*/, const Problem &problem,
                                    IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  std::vector<SetupKernel> kernels = rowOrderKernels(csrIndex);
  for (SetupKernel &kernel : scanKernels(kBytesLines, kBytesCount))
    kernels.push_back(std::move(kernel));
  kernels.push_back(bytesCounting(csr, 1).kernel);
  kernels.push_back(bytesFilling(csr, 1).kernel);
  return emitSetup("packing of sell-bytes", {kRowOrderHeader, kScanHeader, "pack/sell_bytes.cuh"},
                   kernels);
}

// Orders the rows and finds where each slice begins. Returns the sizes of the arrays; none if a
// slice has too many lines.
static llvm::Expected<std::optional<BytesCounts>>
placeBytesSlices(Workspace &w, const KernelSource &kernels, int64_t sigma) {
  const DeviceCsr &csr = w.csr();
  const int64_t slices = slicesOf(csr);
  if (llvm::Error error =
          w.add("perm", ElementType::u16, sigma > 1 ? csr.rows : 0, Contents::undefined))
    return error;
  for (const auto &[name, type, count] : {std::tuple(kBytesLines, kBytesCount, slices + 1),
                                          {kBytesFours, kBytesCount, slices + 1},
                                          {kBytesWords, kBytesCount, slices + 1},
                                          {kBytesWidths, ElementType::u32, slices},
                                          {kBytesTooLong, kBytesCount, 1}})
    if (llvm::Error error = w.addScratch(name, type, count, Contents::zeros))
      return error;
  if (sigma > 1)
    if (llvm::Error error = orderRows(w, kernels, sigma))
      return error;
  if (llvm::Error error = launchAll(w, kernels, {bytesCounting(csr, sigma)}))
    return error;
  auto tooLong = readNumber(w, kBytesTooLong, kBytesCount, 0);
  if (!tooLong)
    return tooLong.takeError();
  if (*tooLong > 0)
    return std::nullopt;
  BytesCounts out{.rows = csr.rows};
  for (const auto &[name, count] :
       {std::pair(kBytesLines, &out.lines), {kBytesFours, &out.fours}, {kBytesWords, &out.words}}) {
    auto sum = scanCounts(w, kernels, name, kBytesCount, slices + 1);
    if (!sum)
      return sum.takeError();
    *count = *sum;
  }
  return out;
}

static llvm::Expected<std::optional<Layout>> packBytes(Workspace &w, const Plan &plan,
                                                       const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  const int64_t sigma = plan.get(key::kBytesSigma);
  if (llvm::Error error = checkBytesPlan(plan, csr, 0))
    return error;
  if (!canOrderRows(sigma) || csr.rows == 0)
    return std::nullopt;
  const SharedSource kernels = keptSource(bytesPackSource, plan, problem, csr.indexType);
  auto counts = placeBytesSlices(w, *kernels, sigma);
  if (!counts)
    return counts.takeError();
  if (!*counts)
    return std::nullopt; // the host says how long the longest row is
  if (llvm::Error error = checkBytesLines(plan, csr, (*counts)->lines))
    return error;
  auto out = filledLayout(w, *kernels, bytesFields(plan, problem, **counts),
                          {bytesFilling(csr, sigma)}, {"perm"});
  if (!out)
    return out.takeError();
  for (const char *name : {kBytesLines, kBytesFours, kBytesWords, kBytesWidths, kBytesTooLong})
    w.drop(name);
  return std::optional(std::move(*out));
}

const Packing kBytesPacking{bytesPackSource, packBytes};

} // namespace specmv
