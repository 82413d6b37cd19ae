// Packs SELL on the GPU (templates/pack/sell.cuh).
#include "generator/formats/sell/packing.h"

#include "generator/formats/sell/layout.h"
#include "generator/setup/row_order.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"
#include "models/base/error.h"

namespace specmv {

constexpr const char *kStart = "sliceStart", *kSellLongest = "longest";

static SetupKernel widthsKernel(const DeviceCsr &csr, const Plan &plan, const SellShape &shape) {
  const ElementType offset = indexTypesOf(plan).offset;
  return setupKernel("sellWidths", "SellWidthsArgs", {elementOf(csr.indexType), offset},
                     {csrRowPtrOf(csr), array("perm", kSellPermType, csr.rows),
                      filled(kStart, offset), scratch(kSellLongest, ElementType::i64, 1),
                      wideNumber("rows", csr.rows), narrowNumber("slice", shape.slice),
                      narrowNumber("sigma", shape.sigma)});
}

static SetupKernel fillKernel(const DeviceCsr &csr, const Plan &plan, const Problem &problem,
                              const SellShape &shape) {
  const auto [value, offset, column] = typesOf(plan, problem);
  SetupKernel out = setupKernel(
      "sellFill", "SellFillArgs", packTypes(csr.indexType, plan, problem),
      joined({csrArraysOf(csr),
              {array("perm", kSellPermType, csr.rows), array(kStart, offset, 0),
               filled("col", column), wideNumber("rows", csr.rows),
               narrowNumber("slice", shape.slice), narrowNumber("sigma", shape.sigma)}}));
  // Without this number ptxas 13.0 spills with 64-bit indices, since it aims at 2,048 threads in an
  // SM.
  out.kernel.blocksPerSm = 4;
  return out;
}

static KernelSource sellPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const SellShape shape = sellShapeOf(plan);
  std::vector<SetupKernel> kernels = rowOrderKernels(csrIndex);
  for (SetupKernel &kernel : scanKernels(kStart, indexTypesOf(plan).offset))
    kernels.push_back(std::move(kernel));
  kernels.push_back(widthsKernel(csr, plan, shape));
  kernels.push_back(fillKernel(csr, plan, problem, shape));
  return emitSetup("packing of sell", {kRowOrderHeader, kScanHeader, "pack/sell.cuh"}, kernels);
}

// Orders the rows and finds the slices. Returns the longest row and the number of slots.
static llvm::Expected<std::pair<int64_t, int64_t>>
findSlices(Workspace &w, const KernelSource &kernels, const Plan &plan, const SellShape &shape) {
  const int64_t rows = w.csr().rows, slices = ceilDiv(rows, shape.slice);
  const ElementType offset = indexTypesOf(plan).offset;
  if (llvm::Error error =
          w.add("perm", kSellPermType, shape.sigma > 1 ? rows : 0, Contents::undefined))
    return error;
  if (llvm::Error error = w.add(kStart, offset, slices + 1, Contents::zeros))
    return error;
  if (llvm::Error error = w.addScratch(kSellLongest, ElementType::i64, 1, Contents::zeros))
    return error;
  if (shape.sigma > 1)
    if (llvm::Error error = orderRows(w, kernels, shape.sigma))
      return error;
  const int64_t blocks = std::min(kFewBlocks, ceilDiv(rows, int64_t{kSetupBlock}));
  if (llvm::Error error = w.launch(kernels, widthsKernel(w.csr(), plan, shape), blocks))
    return error;
  auto slots = scanCounts(w, kernels, kStart, offset, slices + 1);
  if (!slots)
    return slots.takeError();
  auto longest = readNumber(w, kSellLongest, ElementType::i64, 0);
  if (!longest)
    return longest.takeError();
  w.drop(kSellLongest);
  return std::pair(*longest, *slots);
}

static llvm::Expected<std::optional<Layout>> packSell(Workspace &w, const Plan &plan,
                                                      const Problem &problem) {
  const SellShape shape = sellShapeOf(plan);
  if (llvm::Error error = checkSellShape(plan))
    return error;
  if (!canOrderRows(shape.sigma))
    return std::nullopt;
  const SharedSource kernels = keptSource(sellPackSource, plan, problem, w.csr().indexType);
  auto found = findSlices(w, *kernels, plan, shape);
  if (!found)
    return found.takeError();
  const auto [longest, slots] = *found;
  if (shape.sigma > 1 && longest > kMaxOrderedLength)
    return std::nullopt;
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = checkSellSize(plan, csr, longest, slots))
    return error;
  const int64_t slices = ceilDiv(csr.rows, shape.slice);
  Layout out = layoutOnGpu(sellFields(plan, problem, {csr.rows, slices, slots}));
  const auto [value, offset, column] = typesOf(plan, problem);
  if (llvm::Error error = w.add("col", column, slots, Contents::undefined))
    return error;
  if (llvm::Error error = addValues(w, out))
    return error;
  if (llvm::Error error = w.launch(*kernels, fillKernel(csr, plan, problem, shape),
                                   ceilDiv(slices, kSetupBlock / 32)))
    return error;
  return out;
}

const Packing kSellPacking{sellPackSource, packSell};

} // namespace specmv
