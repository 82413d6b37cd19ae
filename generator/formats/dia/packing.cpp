// Packs DIA on the GPU (templates/pack/dia.cuh, templates/pack/hole_sets.cuh).
#include "generator/formats/dia/packing.h"

#include "generator/formats/dia/layout.h"
#include "generator/setup/workspace.h"
#include "generator/shared/padded.h"
#include "generator/sources.h"

#include "llvm/Support/MathExtras.h"

#include <array>

namespace specmv {

constexpr const char *kDiaNumbers = "diaFound"; // the counts, then the offsets of the diagonals
constexpr const char *kHoleWords = "holeWords", *kHoleTable = "holeTable";
constexpr const char *kHoleSlot = "holeSlot", *kHoleNumber = "holeNumber";
constexpr ElementType kHoleNumberType = ElementType::i32;

static int64_t holeGroups(const MatrixSize &a) { return ceilDiv(a.rows, int64_t{kHoleRows}); }

// Places of the hash table: twice as many as there can be sets, so that a search takes few steps.
static int64_t holePlaces(int64_t groups) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(2 * groups + 1)));
}

static SetupKernel diaFillKernel(const DeviceCsr &csr, int64_t diagonals) {
  return setupKernel(
      "diaFill", "DiaFillArgs", {elementOf(csr.indexType), elementOf(csr.valueType)},
      joined({csrArraysOf(csr),
              {scratch(kDiaNumbers, ElementType::i64, kDiaFound + diagonals),
               filled(kHoleWords, ElementType::u32), wideNumber("rows", csr.rows),
               wideNumber("cols", csr.cols), wideNumber("stride", ellStride(csr.rows)),
               narrowNumber("diagonals", diagonals)}}));
}

// A kernel whose arguments are HoleSetArgs.
static SetupKernel holeSetKernel(const char *function, const MatrixSize &a, int64_t diagonals) {
  const int64_t groups = holeGroups(a);
  return setupKernel(function, "HoleSetArgs", {kHoleNumberType},
                     {array(kHoleWords, ElementType::u32, groups * diagonals),
                      scratch(kHoleTable, ElementType::u32, holePlaces(groups)),
                      filled(kHoleSlot, ElementType::u32), filled(kHoleNumber, kHoleNumberType),
                      scratch(kDiaNumbers, ElementType::i64, kDiaFound + diagonals),
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

// Writes the values and the words of holes.
static llvm::Error fillDia(Workspace &w, const KernelSource &kernels, const Layout &values,
                           const std::vector<int64_t> &offsets) {
  const DeviceCsr &csr = w.csr();
  const int64_t diagonals = std::ssize(offsets), groups = holeGroups(csr);
  // One array has both the counts and the offsets: each further array costs microseconds.
  std::vector<int64_t> numbers(kDiaFound);
  numbers[kDiaStray] = kDiaNoStray;
  numbers.insert(numbers.end(), offsets.begin(), offsets.end());
  if (llvm::Error error =
          w.addScratch(kDiaNumbers, ElementType::i64, std::ssize(numbers), Contents::undefined))
    return error;
  if (llvm::Error error = w.write(kDiaNumbers, numbers.data(), std::ssize(numbers)))
    return error;
  if (llvm::Error error = addValues(w, values))
    return error;
  if (llvm::Error error =
          w.addScratch(kHoleWords, ElementType::u32, groups * diagonals, Contents::undefined))
    return error;
  const int64_t blocks = std::min(kFewBlocks, ceilDiv(groups, int64_t{kSetupBlock} / 32));
  return w.launch(kernels, diaFillKernel(csr, diagonals), blocks);
}

// Puts the distinct sets of holes into the table, and numbers and counts them.
static llvm::Error findHoleSets(Workspace &w, const KernelSource &kernels, int64_t diagonals) {
  const int64_t groups = holeGroups(w.csr());
  if (llvm::Error error =
          w.addScratch(kHoleTable, ElementType::u32, holePlaces(groups), Contents::zeros))
    return error;
  if (llvm::Error error = w.addScratch(kHoleSlot, ElementType::u32, groups, Contents::undefined))
    return error;
  if (llvm::Error error =
          w.addScratch(kHoleNumber, kHoleNumberType, groups + 1, Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(kernels, holeSetKernel("holeFind", w.csr(), diagonals),
                                   ceilDiv(groups, int64_t{kSetupBlock} / 32)))
    return error;
  if (llvm::Error error = w.launch(kernels, holeSetKernel("holeCount", w.csr(), diagonals),
                                   ceilDiv(groups, int64_t{kSetupBlock})))
    return error;
  return placeCounts(w, kernels, kHoleNumber, kHoleNumberType, groups + 1);
}

// Writes holeSet and holes.
static llvm::Error storeHoles(Workspace &w, const KernelSource &kernels, const Plan &plan,
                              const DiaCounts &counts) {
  const int64_t groups = holeGroups(w.csr());
  if (llvm::Error error = w.add("holeSet", indexTypesOf(plan).offset, groups, Contents::undefined))
    return error;
  if (llvm::Error error = w.add("holes", ElementType::u32, counts.holeWords, Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(kernels, holeStoreKernel(w.csr(), plan, counts.diagonals),
                                   ceilDiv(groups, int64_t{kSetupBlock} / 32)))
    return error;
  for (const char *name : {kHoleTable, kHoleSlot, kHoleNumber})
    w.drop(name);
  return llvm::Error::success();
}

// Launches all kernels whose arrays have known sizes, and returns their counts. The host waits
// once.
static llvm::Expected<std::array<int64_t, kDiaFound>>
findDia(Workspace &w, const KernelSource &kernels, const Plan &plan, const Layout &values,
        const std::vector<int64_t> &offsets) {
  if (llvm::Error error = fillDia(w, kernels, values, offsets))
    return error;
  if (plan.get(key::kDiaHoles))
    if (llvm::Error error = findHoleSets(w, kernels, std::ssize(offsets)))
      return error;
  std::array<int64_t, kDiaFound> found{};
  if (llvm::Error error = w.read(kDiaNumbers, 0, kDiaFound, found.data()))
    return error;
  w.drop(kDiaNumbers);
  return found;
}

// Stores the offsets of the diagonals for kernels that have them as an argument.
static llvm::Error storeOffsets(Workspace &w, const std::vector<int64_t> &offsets) {
  if (llvm::Error error =
          w.add(kDiaOffsets, ElementType::i64, std::ssize(offsets), Contents::undefined))
    return error;
  return w.write(kDiaOffsets, offsets.data(), std::ssize(offsets));
}

static llvm::Expected<std::optional<Layout>> packDia(Workspace &w, const Plan &plan,
                                                     const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  auto offsets = diaOffsets(plan, csr);
  if (!offsets)
    return offsets.takeError();
  const SharedSource kernels = keptSource(diaPackSource, plan, problem, csr.indexType);
  DiaCounts counts{csr.rows, csr.cols, std::ssize(*offsets)};
  auto found = findDia(w, *kernels, plan, layoutOnGpu(diaFields(plan, problem, counts)), *offsets);
  if (!found)
    return found.takeError();
  // The host adds up repeated entries, in their order.
  if ((*found)[kDiaLeft])
    return std::nullopt;
  if (llvm::Error error = checkDiaEntries(plan, (*found)[kDiaStray], (*found)[kDiaHoles]))
    return error;
  if (plan.get(key::kDiaHoles)) {
    counts.holeWords = (*found)[kDiaSets] * counts.diagonals;
    if (llvm::Error error = storeHoles(w, *kernels, plan, counts))
      return error;
  }
  w.drop(kHoleWords);
  if (llvm::Error error = storeOffsets(w, *offsets))
    return error;
  return layoutOnGpu(diaFields(plan, problem, counts));
}

const Packing kDiaPacking{diaPackSource, packDia};

} // namespace specmv
