// Packs DIA on the GPU (templates/pack/dia.cuh, templates/pack/hole_sets.cuh).
#include "generator/formats/dia/packing.h"

#include "generator/formats/dia/layout.h"
#include "generator/setup/scan.h"
#include "generator/shared/ell_part.h"

#include "llvm/Support/MathExtras.h"

#include <array>

namespace specmv {

constexpr const char *kDiaOffsets = "diaOffsets", *kDiaNumbers = "diaFound";
constexpr const char *kHoleWords = "holeWords", *kHoleTable = "holeTable";
constexpr const char *kHoleSlot = "holeSlot", *kHoleNumber = "holeNumber";
constexpr ElementType kHoleNumberType = ElementType::i32;

static int64_t holeGroups(const MatrixSize &a) { return ceilDiv(a.rows, int64_t{kHoleRows}); }

// Twice as many places as there can be sets, so that few steps find one.
static int64_t holePlaces(int64_t groups) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(2 * groups + 1)));
}

static SetupKernel diaFillKernel(const DeviceCsr &csr, int64_t diagonals) {
  return setupKernel(
      "diaFill", "DiaFillArgs", {elementOf(csr.indexType), elementOf(csr.valueType)},
      joined({csrArraysOf(csr),
              {array(kDiaOffsets, ElementType::i64, diagonals),
               scratch(kDiaNumbers, ElementType::i64, kDiaFound),
               filled("val", elementOf(csr.valueType)), filled(kHoleWords, ElementType::u32),
               wideNumber("rows", csr.rows), wideNumber("cols", csr.cols),
               wideNumber("stride", ellStride(csr.rows)), narrowNumber("diagonals", diagonals)}}));
}

// One of those that take HoleSetArgs.
static SetupKernel holeSetKernel(const char *function, const MatrixSize &a, int64_t diagonals) {
  const int64_t groups = holeGroups(a);
  return setupKernel(function, "HoleSetArgs", {kHoleNumberType},
                     {array(kHoleWords, ElementType::u32, groups * diagonals),
                      scratch(kHoleTable, ElementType::u32, holePlaces(groups)),
                      filled(kHoleSlot, ElementType::u32), filled(kHoleNumber, kHoleNumberType),
                      wideNumber("groups", groups), narrowNumber("diagonals", diagonals),
                      number("mask", ElementType::u32, holePlaces(groups) - 1)});
}

static SetupKernel holeStoreKernel(const MatrixSize &a, const Plan &plan, int64_t diagonals) {
  const int64_t groups = holeGroups(a);
  const ElementType offset = indexTypesOf(plan).offset;
  return setupKernel("holeStore", "HoleStoreArgs", {kHoleNumberType, offset},
                     {array(kHoleWords, ElementType::u32, groups * diagonals),
                      array(kHoleTable, ElementType::u32, holePlaces(groups)),
                      array(kHoleSlot, ElementType::u32, groups),
                      array(kHoleNumber, kHoleNumberType, groups + 1), filled("holeSet", offset),
                      filled("holes", ElementType::u32), wideNumber("groups", groups),
                      narrowNumber("diagonals", diagonals)});
}

static KernelSource diaPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  std::vector<SetupKernel> kernels = scanKernels(kHoleNumber, kHoleNumberType);
  kernels.push_back(diaFillKernel(csr, 0));
  kernels.push_back(holeSetKernel("holeFind", csr, 0));
  kernels.push_back(holeSetKernel("holeCount", csr, 0));
  kernels.push_back(holeStoreKernel(csr, plan, 0));
  return emitSetup("packing of dia", {kScanHeader, "pack/dia.cuh", "pack/hole_sets.cuh"}, kernels);
}

// Writes the values and the words of holes. Returns what was found.
static llvm::Expected<std::array<int64_t, kDiaFound>>
fillDia(Workspace &w, const KernelSource &kernels, const std::vector<int64_t> &offsets) {
  const DeviceCsr &csr = w.csr();
  const int64_t diagonals = std::ssize(offsets), groups = holeGroups(csr);
  std::array<int64_t, kDiaFound> found{};
  found[kDiaStray] = kDiaNoStray;
  if (llvm::Error error = w.add(kDiaOffsets, ElementType::i64, diagonals, Contents::undefined))
    return error;
  if (llvm::Error error = w.add(kDiaNumbers, ElementType::i64, kDiaFound, Contents::undefined))
    return error;
  if (llvm::Error error = w.write(kDiaOffsets, offsets.data(), diagonals))
    return error;
  if (llvm::Error error = w.write(kDiaNumbers, found.data(), kDiaFound))
    return error;
  if (llvm::Error error = w.add("val", elementOf(csr.valueType), ellSlots(csr.rows, diagonals),
                                Contents::undefined))
    return error;
  if (llvm::Error error =
          w.add(kHoleWords, ElementType::u32, groups * diagonals, Contents::undefined))
    return error;
  const int64_t blocks = std::min(kFewBlocks, ceilDiv(groups, int64_t{kSetupBlock} / 32));
  if (llvm::Error error = w.launch(kernels, diaFillKernel(csr, diagonals), blocks))
    return error;
  if (llvm::Error error = w.read(kDiaNumbers, 0, kDiaFound, found.data()))
    return error;
  w.drop(kDiaNumbers);
  w.drop(kDiaOffsets);
  return found;
}

// Puts the distinct sets of holes into the table. Returns how many there are.
static llvm::Expected<int64_t> findHoleSets(Workspace &w, const KernelSource &kernels,
                                            int64_t diagonals) {
  const int64_t groups = holeGroups(w.csr());
  if (llvm::Error error = w.add(kHoleTable, ElementType::u32, holePlaces(groups), Contents::zeros))
    return error;
  if (llvm::Error error = w.add(kHoleSlot, ElementType::u32, groups, Contents::undefined))
    return error;
  if (llvm::Error error = w.add(kHoleNumber, kHoleNumberType, groups + 1, Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(kernels, holeSetKernel("holeFind", w.csr(), diagonals),
                                   ceilDiv(groups, int64_t{kSetupBlock} / 32)))
    return error;
  if (llvm::Error error = w.launch(kernels, holeSetKernel("holeCount", w.csr(), diagonals),
                                   ceilDiv(groups, int64_t{kSetupBlock})))
    return error;
  return scanCounts(w, kernels, kHoleNumber, kHoleNumberType, groups + 1);
}

// Writes holeSet and holes. Returns the number of words in holes.
static llvm::Expected<int64_t> storeHoles(Workspace &w, const KernelSource &kernels,
                                          const Plan &plan, int64_t diagonals) {
  auto sets = findHoleSets(w, kernels, diagonals);
  if (!sets)
    return sets.takeError();
  const int64_t groups = holeGroups(w.csr()), words = *sets * diagonals;
  if (llvm::Error error = w.add("holeSet", indexTypesOf(plan).offset, groups, Contents::undefined))
    return error;
  if (llvm::Error error = w.add("holes", ElementType::u32, words, Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(kernels, holeStoreKernel(w.csr(), plan, diagonals),
                                   ceilDiv(groups, int64_t{kSetupBlock} / 32)))
    return error;
  for (const char *name : {kHoleTable, kHoleSlot, kHoleNumber})
    w.drop(name);
  return words;
}

static llvm::Expected<std::optional<Layout>> packDia(Workspace &w, const Plan &plan,
                                                     const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  auto offsets = diaOffsets(plan, csr);
  if (!offsets)
    return offsets.takeError();
  const KernelSource kernels = diaPackSource(plan, problem, csr.indexType);
  auto found = fillDia(w, kernels, *offsets);
  if (!found)
    return found.takeError();
  // Entries that repeat a place are added up by the host, in their order.
  if ((*found)[kDiaLeft])
    return std::nullopt;
  if (llvm::Error error = checkDiaEntries(plan, (*found)[kDiaStray], (*found)[kDiaHoles]))
    return error;
  DiaCounts counts{csr.rows, csr.cols, std::ssize(*offsets)};
  if (plan.get("holes")) {
    auto words = storeHoles(w, kernels, plan, counts.diagonals);
    if (!words)
      return words.takeError();
    counts.holeWords = *words;
  }
  w.drop(kHoleWords);
  Layout out;
  out.isOnHost = false;
  addFields(out, diaFields(plan, problem, counts));
  return out;
}

const Packing kDiaPacking{diaPackSource, packDia};

} // namespace specmv
