// Packs JAD on the GPU (templates/pack/jad.cuh): all rows ordered by length, the starts of the
// diagonals, then columns and values.
#include "generator/formats/jad/packing.h"

#include "generator/formats/jad/layout.h"
#include "generator/setup/packing.h"
#include "generator/setup/row_order.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"

namespace specmv {

constexpr const char *kJadDiagonals = "jdPtr", *kJadOrder = "perm";

static SetupLaunch diagonalCounting(const DeviceCsr &csr, ElementType offset, int64_t diagonals) {
  const int64_t starts = jadStarts(diagonals);
  return {setupKernel("jadDiagonals", "JadDiagonalsArgs", {elementOf(csr.indexType), offset},
                      {csrRowPtrOf(csr), array(kJadOrder, offset, csr.rows),
                       filled(kJadDiagonals, offset), wideNumber("rows", csr.rows),
                       wideNumber("diagonals", diagonals), wideNumber("starts", starts)}),
          ceilDiv(starts, kSetupBlock)};
}

// Blocks that share the diagonals of a tile of rows: few, since most tiles have short rows, and
// their blocks for later diagonals have nothing to do.
constexpr int64_t kMostParts = 16;

static SetupLaunch diagonalFilling(const DeviceCsr &csr, const Types &types, int64_t diagonals) {
  const int64_t columns =
      std::max<int64_t>(kPadColumns, roundUp(ceilDiv(diagonals, kMostParts), kPadTogether));
  const int64_t parts = ceilDiv(diagonals, columns);
  return {setupKernel("jadFill", "JadFillArgs",
                      {elementOf(csr.indexType), types.offset, types.column, types.value},
                      joined({csrArraysOf(csr),
                              {array(kJadDiagonals, types.offset, 0),
                               array(kJadOrder, types.offset, csr.rows),
                               filled("col", types.column), wideNumber("rows", csr.rows),
                               wideNumber("columns", columns), wideNumber("parts", parts)}})),
          ceilDiv(csr.rows, kSetupBlock) * parts};
}

static KernelSource jadPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const Types types = typesOf(plan, problem);
  std::vector<SetupKernel> kernels = lengthOrderKernels(csr, types.offset);
  kernels.push_back(longestRowKernel(csr));
  kernels.push_back(diagonalCounting(csr, types.offset, 0).kernel);
  kernels.push_back(diagonalFilling(csr, types, 0).kernel);
  std::vector<std::string> headers = lengthOrderHeaders();
  headers.insert(headers.end(), {kLongestHeader, "pack/jad.cuh"});
  return emitSetup("packing of jad", headers, kernels);
}

// Fills the order and the starts of diagonals; returns the slots.
static llvm::Expected<int64_t> findDiagonals(Workspace &w, const KernelSource &kernels,
                                             ElementType offset, int64_t longest) {
  if (llvm::Error error = w.add(kJadOrder, offset, w.csr().rows, Contents::undefined))
    return error;
  if (llvm::Error error = orderAllRows(w, kernels, kJadOrder, offset, longest))
    return error;
  const int64_t starts = jadStarts(longest);
  if (llvm::Error error = w.add(kJadDiagonals, offset, starts, Contents::undefined))
    return error;
  if (llvm::Error error = launchAll(w, kernels, {diagonalCounting(w.csr(), offset, longest)}))
    return error;
  return scanCounts(w, kernels, kJadDiagonals, offset, starts);
}

static llvm::Expected<std::optional<Layout>> packJad(Workspace &w, const Plan &plan,
                                                     const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  const Types types = typesOf(plan, problem);
  const SharedSource kernels = keptSource(jadPackSource, plan, problem, csr.indexType);
  auto longest = longestRowOn(w, *kernels);
  if (!longest)
    return longest.takeError();
  if (llvm::Error error = checkJadDiagonals(*longest))
    return error;
  auto slots = findDiagonals(w, *kernels, types.offset, *longest);
  if (!slots)
    return slots.takeError();
  if (llvm::Error error = checkJadSlots(plan, csr, *slots))
    return error;
  return filledLayout(w, *kernels, jadFields(plan, problem, {csr.rows, *longest, *slots}),
                      {diagonalFilling(csr, types, *longest)}, {kJadDiagonals, kJadOrder});
}

const Packing kJadPacking{jadPackSource, packJad};

} // namespace specmv
