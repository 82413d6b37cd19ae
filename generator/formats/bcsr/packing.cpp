// Packs BCSR on the GPU (templates/pack/bcsr.cuh).
#include "generator/formats/bcsr/packing.h"

#include "generator/formats/bcsr/layout.h"
#include "generator/setup/scan.h"

#include "llvm/Support/MathExtras.h"

#include <array>

namespace specmv {

constexpr const char *kStepStart = "stepStart", *kBcsrNumbers = "bcsrFound";

namespace {
// What the kernels are launched for.
struct BcsrJob {
  const DeviceCsr &csr;
  const Plan &plan;
  const Problem &problem;

  int64_t r() const { return plan.get("bcsr.r"); }
  int64_t c() const { return plan.get("bcsr.c"); }
  int64_t lanes() const { return plan.get("bcsr.lanes"); }
  int64_t blockRows() const { return ceilDiv(csr.rows, r()); }
  int64_t slices() const { return ceilDiv(blockRows(), bcsrSliceRows(lanes())); }
  // Steps of a tile, and the slices that share them: so many that each warp has a block row.
  int64_t tileSteps() const {
    const int64_t stepBytes = 32 * r() * c() * static_cast<int64_t>(sizeOf(problem.type));
    return std::min<int64_t>(kBcsrTileBytes / stepBytes, kBcsrTileSteps);
  }
  int64_t tileSlices() const {
    return std::clamp<int64_t>(kSetupBlock / 32 * lanes() / 32, 1, tileSteps());
  }

  Field laneBits() const {
    return narrowNumber("laneBits", llvm::Log2_64(static_cast<uint64_t>(lanes())));
  }
  // The sides of blocks, and what replaces the division by one.
  Fields sides() const {
    const int columns = static_cast<int>(c());
    return {narrowNumber("r", r()), narrowNumber("c", c()),
            wideNumber("factor", bcsrFactor(columns)), narrowNumber("shift", bcsrShift(columns))};
  }
  Field local() const { return narrowNumber("local", plan.get("local")); }
  Field stepStart() const { return array(kStepStart, ElementType::i64, slices() + 1); }
};
} // namespace

// Of the kernels that look at entries: left alone, ptxas spills rather than use more than 64
// registers (sm_90 with 64-bit columns, sm_100 and later with others too).
constexpr int64_t kBcsrBlocksPerSm = 3;

static SetupKernel bcsrCountKernel(const BcsrJob &job) {
  const ElementType index = elementOf(job.csr.indexType), column = indexTypesOf(job.plan).column;
  SetupKernel kernel = setupKernel(
      "bcsrCount", "BcsrCountArgs", {index, column},
      joined({{csrRowPtrOf(job.csr), array(kCsrCol, index, job.csr.nnz), filled("blocks", column),
               scratch(kBcsrNumbers, ElementType::i64, kBcsrFound),
               wideNumber("rows", job.csr.rows), wideNumber("blockRows", job.blockRows())},
              job.sides(),
              {job.local()}}));
  kernel.kernel.blocksPerSm = kBcsrBlocksPerSm;
  return kernel;
}

static SetupKernel bcsrStepsKernel(const BcsrJob &job) {
  const ElementType column = indexTypesOf(job.plan).column;
  return setupKernel("bcsrSteps", "BcsrStepsArgs", {column},
                     {array("blocks", column, job.blockRows()),
                      filled(kStepStart, ElementType::i64),
                      scratch(kBcsrNumbers, ElementType::i64, kBcsrFound),
                      wideNumber("blockRows", job.blockRows()), wideNumber("slices", job.slices()),
                      job.laneBits()});
}

static SetupKernel bcsrFillKernel(const BcsrJob &job) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  const ElementType local = bcsrLocalType(job.plan), mask = bcsrMaskType(job.r(), job.c());
  SetupKernel kernel = setupKernel(
      "bcsrFill", "BcsrFillArgs", {elementOf(job.csr.indexType), offset, value, local, mask},
      joined({csrArraysOf(job.csr),
              {job.stepStart(), filled("sliceStart", offset), filled("col", local),
               filled("mask", mask), filled("val", value), wideNumber("rows", job.csr.rows),
               wideNumber("blockRows", job.blockRows()), wideNumber("slices", job.slices())},
              job.sides(),
              {job.laneBits(), narrowNumber("full", job.plan.get("full")), job.local(),
               narrowNumber("tileSlices", job.tileSlices()),
               narrowNumber("tileSteps", job.tileSteps() / job.tileSlices())}}));
  kernel.kernel.blocksPerSm = kBcsrBlocksPerSm;
  return kernel;
}

static KernelSource bcsrPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const BcsrJob job{csr, plan, problem};
  std::vector<SetupKernel> kernels = scanKernels(kStepStart, ElementType::i64);
  for (auto kernelOf : {bcsrCountKernel, bcsrStepsKernel, bcsrFillKernel})
    kernels.push_back(kernelOf(job));
  return emitSetup("packing of bcsr", {kScanHeader, "pack/bcsr.cuh"}, kernels);
}

// Counts the blocks of block rows and the steps of slices. nullopt if the host must pack the
// matrix: repeated entries are added up there, in their order, and rows that do not ascend or are
// long would make a warp of the device slow.
static llvm::Expected<std::optional<BcsrBlocks>>
countBlocks(Workspace &w, const KernelSource &kernels, const BcsrJob &job) {
  const int64_t slices = job.slices();
  if (llvm::Error error =
          w.add("blocks", indexTypesOf(job.plan).column, job.blockRows(), Contents::undefined))
    return error;
  if (llvm::Error error = w.add(kBcsrNumbers, ElementType::i64, kBcsrFound, Contents::zeros))
    return error;
  if (llvm::Error error = w.add(kStepStart, ElementType::i64, slices + 1, Contents::undefined))
    return error;
  const int64_t blocks = std::min(kFewBlocks, ceilDiv(job.blockRows(), int64_t{kSetupBlock} / 32));
  if (llvm::Error error = w.launch(kernels, bcsrCountKernel(job), blocks))
    return error;
  if (llvm::Error error =
          w.launch(kernels, bcsrStepsKernel(job), ceilDiv(slices, int64_t{kSetupBlock})))
    return error;
  if (llvm::Error error = placeCounts(w, kernels, kStepStart, ElementType::i64, slices + 1))
    return error;
  std::array<int64_t, kBcsrFound> found{};
  if (llvm::Error error = w.read(kBcsrNumbers, 0, kBcsrFound, found.data()))
    return error;
  w.drop(kBcsrNumbers);
  if (found[kBcsrLeft])
    return std::nullopt;
  return BcsrBlocks{slices, found[kBcsrSteps], found[kBcsrBlocks], found[kBcsrLeast],
                    found[kBcsrMost]};
}

static llvm::Error fillBlocks(Workspace &w, const KernelSource &kernels, const BcsrJob &job,
                              const Layout &layout) {
  for (const LayoutArray &array : layout.arrays)
    if (array.name != "blocks")
      if (llvm::Error error = w.add(array.name, array.type, array.count(), Contents::undefined))
        return error;
  // The kernel has this argument for all plans.
  if (job.plan.get("full"))
    if (llvm::Error error = w.add("mask", bcsrMaskType(job.r(), job.c()), 0, Contents::undefined))
      return error;
  if (llvm::Error error =
          w.launch(kernels, bcsrFillKernel(job), ceilDiv(job.slices(), job.tileSlices())))
    return error;
  w.drop(kStepStart);
  return llvm::Error::success();
}

static llvm::Expected<std::optional<Layout>> packBcsr(Workspace &w, const Plan &plan,
                                                      const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  const BcsrJob job{csr, plan, problem};
  const KernelSource kernels = bcsrPackSource(plan, problem, csr.indexType);
  auto counted = countBlocks(w, kernels, job);
  if (!counted)
    return counted.takeError();
  if (!*counted)
    return std::nullopt;
  const BcsrBlocks &found = **counted;
  if (llvm::Error error = checkBcsrBlocks(plan, csr, found))
    return error;
  Layout out;
  out.isOnHost = false;
  addFields(out, bcsrFields(plan, problem, {csr.rows, found.slices, found.steps}));
  if (llvm::Error error = fillBlocks(w, kernels, job, out))
    return error;
  return out;
}

const Packing kBcsrPacking{bcsrPackSource, packBcsr};

} // namespace specmv
