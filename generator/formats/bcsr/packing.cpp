// Packs BCSR on the GPU (templates/pack/bcsr.cuh).
#include "generator/formats/bcsr/packing.h"

#include "generator/formats/bcsr/layout.h"
#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"

#include "llvm/Support/MathExtras.h"

#include <array>

namespace specmv {

constexpr const char *kStepStart = "stepStart", *kBcsrNumbers = "bcsrFound";

static Field bcsrNumbers() { return scratch(kBcsrNumbers, ElementType::i64, kBcsrFound); }

// The field SizedNumbers of an array that the kernel fills.
static Fields sized(const char *array, ElementType type, const char *bytes) {
  Fields out = {filled(array, ElementType::u8),
                narrowNumber(bytes, static_cast<int64_t>(sizeOf(type)))};
  for (Field &field : out)
    field.argument.field = array;
  return out;
}

namespace {
// The packing of one matrix, from which the arguments of the kernels follow.
struct BcsrJob {
  const DeviceCsr &csr;
  const Plan &plan;
  const Problem &problem;

  int64_t r() const { return plan.get(key::kBcsrR); }
  int64_t c() const { return plan.get(key::kBcsrC); }
  int64_t lanes() const { return plan.get(key::kBcsrLanes); }
  int64_t blockRows() const { return ceilDiv(csr.rows, r()); }
  int64_t slices() const { return ceilDiv(blockRows(), bcsrSliceRows(lanes())); }
  // Steps of a tile, and the slices that share them: enough that each warp has a block row.
  int64_t tileSteps() const {
    const int64_t stepBytes = 32 * r() * c() * static_cast<int64_t>(sizeOf(problem.type));
    return std::min<int64_t>(kBcsrTileBytes / stepBytes, kBcsrTileSteps);
  }
  int64_t tileSlices() const {
    return std::clamp<int64_t>(kSetupBlock / 32 * lanes() / 32, 1, tileSteps());
  }

  Field laneBits() const { return narrowNumber("laneBits", bcsrLaneBits(plan)); }
  // The sides of blocks, and the factor and shift that replace a division by the width.
  Fields sides() const {
    const int columns = static_cast<int>(c());
    return {narrowNumber("r", r()), narrowNumber("c", c()),
            wideNumber("factor", bcsrFactor(columns)), narrowNumber("shift", bcsrShift(columns))};
  }
  Field local() const { return narrowNumber("local", plan.get(key::kBcsrLocal)); }
  Fields columns() const { return sized("col", bcsrLocalType(plan), "colBytes"); }
  Field stepStart() const { return array(kStepStart, ElementType::i64, slices() + 1); }
};

// The work of a block of threads if blocks are full: slices of a tile, their steps, block rows that
// a warp takes at a time, and blocks of each block row.
struct FullTile {
  int64_t slices = 1, steps = 1, groups = 1, perRound = 1;
};
} // namespace

// Blocks that an SM must hold of the kernels that read entries. Without this number ptxas spills
// instead of using more than 64 registers (on sm_90 with 64-bit columns, on sm_100 and later with
// 32-bit ones too).
constexpr int64_t kBcsrBlocksPerSm = 3;

static SetupKernel countKernel(const BcsrJob &job, const char *function) {
  const ElementType index = elementOf(job.csr.indexType), column = indexTypesOf(job.plan).column;
  return setupKernel(
      function, "BcsrCountArgs", {index, column},
      joined({{csrRowPtrOf(job.csr), array(kCsrCol, index, job.csr.nnz), filled("blocks", column),
               bcsrNumbers(), wideNumber("rows", job.csr.rows),
               wideNumber("blockRows", job.blockRows())},
              job.sides(),
              {job.local()}}));
}
static SetupKernel bcsrCountKernel(const BcsrJob &job) {
  SetupKernel kernel = countKernel(job, "bcsrCount");
  kernel.kernel.blocksPerSm = kBcsrBlocksPerSm;
  return kernel;
}
static SetupKernel bcsrCountFullKernel(const BcsrJob &job) {
  return countKernel(job, "bcsrCountFull");
}

static SetupKernel bcsrStepsKernel(const BcsrJob &job) {
  const ElementType column = indexTypesOf(job.plan).column;
  return setupKernel("bcsrSteps", "BcsrStepsArgs", {column},
                     {array("blocks", column, job.blockRows()),
                      filled(kStepStart, ElementType::i64), bcsrNumbers(),
                      wideNumber("blockRows", job.blockRows()), wideNumber("slices", job.slices()),
                      job.laneBits()});
}

static SetupKernel bcsrFillKernel(const BcsrJob &job) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  SetupKernel kernel = setupKernel(
      "bcsrFill", "BcsrFillArgs", {elementOf(job.csr.indexType), offset, value},
      joined({csrArraysOf(job.csr),
              {job.stepStart(), filled("sliceStart", offset)},
              job.columns(),
              sized("mask", bcsrMaskType(job.r(), job.c()), "maskBytes"),
              {wideNumber("rows", job.csr.rows), wideNumber("blockRows", job.blockRows()),
               wideNumber("slices", job.slices())},
              job.sides(),
              {job.laneBits(), narrowNumber("full", job.plan.get(key::kBcsrFull)), job.local(),
               narrowNumber("tileSlices", job.tileSlices()),
               narrowNumber("tileSteps", job.tileSteps() / job.tileSlices())}}));
  kernel.kernel.blocksPerSm = kBcsrBlocksPerSm;
  return kernel;
}

static SetupKernel bcsrFillFullKernel(const BcsrJob &job, const FullTile &tile) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  SetupKernel kernel = setupKernel(
      "bcsrFillFull", "BcsrFillFullArgs", {elementOf(job.csr.indexType), offset, value, column},
      joined({csrArraysOf(job.csr),
              {array("blocks", column, job.blockRows()), job.stepStart(),
               filled("sliceStart", offset)},
              job.columns(),
              {bcsrNumbers(), wideNumber("blockRows", job.blockRows()),
               wideNumber("slices", job.slices())},
              job.sides(),
              {job.laneBits(), job.local(), narrowNumber("tileSlices", tile.slices),
               narrowNumber("tileSteps", tile.steps),
               narrowNumber("lineFactor", bcsrLineFactor(static_cast<int>(job.r() * job.c()))),
               narrowNumber("groups", tile.groups), narrowNumber("perRound", tile.perRound)}}));
  // Entries are kept in registers. With 64-bit columns they need more registers than three blocks
  // leave to a thread.
  kernel.kernel.blocksPerSm = job.csr.indexType == IndexType::i64 ? 2 : kBcsrBlocksPerSm;
  return kernel;
}

static KernelSource bcsrPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const BcsrJob job{csr, plan, problem};
  std::vector<SetupKernel> kernels = scanKernels(kStepStart, ElementType::i64);
  for (auto kernelOf : {bcsrCountKernel, bcsrStepsKernel, bcsrFillKernel})
    kernels.push_back(kernelOf(job));
  if (!plan.get(key::kBcsrFull))
    return emitSetup("packing of bcsr", {kScanHeader, "pack/bcsr.cuh"}, kernels);
  kernels.push_back(bcsrCountFullKernel(job));
  kernels.push_back(bcsrFillFullKernel(job, {}));
  return emitSetup("packing of bcsr, of full blocks too", {kScanHeader, "pack/bcsr_full.cuh"},
                   kernels);
}

// Counts the blocks of block rows and the steps of slices. Returns nullopt if the kernel `counting`
// refuses the matrix. Usually the host then packs it: it adds repeated entries in their order, and
// rows that are long or do not ascend would make a warp slow.
static llvm::Expected<std::optional<BcsrBlocks>> countBlocks(Workspace &w,
                                                             const KernelSource &kernels,
                                                             const BcsrJob &job,
                                                             const SetupLaunch &counting) {
  const int64_t slices = job.slices();
  if (llvm::Error error =
          w.add("blocks", indexTypesOf(job.plan).column, job.blockRows(), Contents::undefined))
    return error;
  if (llvm::Error error = w.addScratch(kBcsrNumbers, ElementType::i64, kBcsrFound, Contents::zeros))
    return error;
  if (llvm::Error error =
          w.addScratch(kStepStart, ElementType::i64, slices + 1, Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(kernels, counting.kernel, std::min(kFewBlocks, counting.blocks)))
    return error;
  if (llvm::Error error =
          w.launch(kernels, bcsrStepsKernel(job), ceilDiv(slices, int64_t{kSetupBlock})))
    return error;
  if (llvm::Error error = placeCounts(w, kernels, kStepStart, ElementType::i64, slices + 1))
    return error;
  std::array<int64_t, kBcsrFound> found{};
  if (llvm::Error error = w.read(kBcsrNumbers, 0, kBcsrFound, found.data()))
    return error;
  if (found[kBcsrLeft])
    return std::nullopt;
  return BcsrBlocks{slices, found[kBcsrSteps], found[kBcsrBlocks], found[kBcsrLeast],
                    found[kBcsrMost]};
}

static llvm::Expected<Layout> fillBlocks(Workspace &w, const KernelSource &kernels,
                                         const BcsrJob &job, const BcsrBlocks &found,
                                         const SetupLaunch &filling) {
  Layout out =
      layoutOnGpu(bcsrFields(job.plan, job.problem, {job.csr.rows, found.slices, found.steps}));
  for (const LayoutArray &array : out.arrays)
    if (array.name != "blocks" && array.name != out.valueArray)
      if (llvm::Error error = w.add(array.name, array.type, array.count(), Contents::undefined))
        return error;
  if (llvm::Error error = addValues(w, out))
    return error;
  if (llvm::Error error = w.launch(kernels, filling.kernel, filling.blocks))
    return error;
  w.drop(kStepStart);
  return out;
}

// Packs any matrix, by merging the rows of each block row.
static llvm::Expected<std::optional<Layout>> packMerged(Workspace &w, const KernelSource &kernels,
                                                        const BcsrJob &job) {
  auto counted = countBlocks(
      w, kernels, job, {bcsrCountKernel(job), ceilDiv(job.blockRows(), int64_t{kSetupBlock} / 32)});
  if (!counted)
    return counted.takeError();
  w.drop(kBcsrNumbers);
  if (!*counted)
    return std::nullopt;
  if (llvm::Error error = checkBcsrBlocks(job.plan, job.csr, **counted))
    return error;
  // The kernel has the argument `mask` for all plans.
  if (job.plan.get(key::kBcsrFull))
    if (llvm::Error error = w.add("mask", bcsrMaskType(job.r(), job.c()), 0, Contents::undefined))
      return error;
  return fillBlocks(w, kernels, job, **counted,
                    {bcsrFillKernel(job), ceilDiv(job.slices(), job.tileSlices())});
}

// Chooses the tile for a matrix with these counts. The steps of a slice are divided into parts as
// even as possible. A warp is divided among block rows so that the fewest lanes are idle; among
// equals, so that it reads most of a row at once.
static FullTile fullTileOf(const BcsrJob &job, const BcsrBlocks &found) {
  const auto mean = [](int64_t sum, int64_t count) {
    return std::max<int64_t>(1, ceilDiv(sum, std::max<int64_t>(1, count)));
  };
  const int64_t stepBytes = 32 * bcsrBlockStride(static_cast<int>(job.r() * job.c())) *
                            static_cast<int64_t>(sizeOf(job.problem.type));
  const int64_t tileSteps = std::min<int64_t>(kBcsrFullBytes / stepBytes, kBcsrFullSteps);
  FullTile best;
  best.slices = std::clamp<int64_t>(kSetupBlock / 32 * job.lanes() / 32, 1, tileSteps);
  const int64_t mostSteps = (tileSteps / best.slices - 1) | 1; // odd: bcsrRowBlocks()
  const int64_t steps = mean(found.steps, found.slices);
  best.steps = ceilDiv(steps, ceilDiv(steps, mostSteps));
  const int64_t blocks = std::min(best.steps * job.lanes(), mean(found.blocks, job.blockRows()));
  const int64_t tileRows = best.slices * bcsrSliceRows(job.lanes());
  const int64_t mostGroups = std::clamp<int64_t>(tileRows / (kSetupBlock / 32), 1, kBcsrMaxGroups);
  int64_t bestRounds = blocks + 1;
  for (int64_t perRound = std::min(32 / job.c(), blocks); perRound > 0; --perRound) {
    const int64_t groups = std::min(32 / (perRound * job.c()), mostGroups);
    const int64_t rounds = ceilDiv(blocks, perRound);
    if (rounds * best.groups < bestRounds * groups)
      best.groups = groups, best.perRound = perRound, bestRounds = rounds;
  }
  return best;
}

// Packs a matrix whose blocks are all full. If one is not, the counts and errors of these kernels
// may be wrong: returns nullopt and leaves nothing in the workspace.
static llvm::Expected<std::optional<Layout>> packFull(Workspace &w, const KernelSource &kernels,
                                                      const BcsrJob &job) {
  auto counted = countBlocks(w, kernels, job,
                             {bcsrCountFullKernel(job), ceilDiv(job.blockRows(), kSetupBlock)});
  if (!counted)
    return counted.takeError();
  bool isFull = counted->has_value();
  if (isFull)
    isFull = !llvm::errorToBool(checkBcsrBlocks(job.plan, job.csr, **counted));
  std::optional<Layout> out;
  if (isFull) {
    const FullTile tile = fullTileOf(job, **counted);
    auto filled = fillBlocks(w, kernels, job, **counted,
                             {bcsrFillFullKernel(job, tile), ceilDiv(job.slices(), tile.slices)});
    if (!filled)
      return filled.takeError();
    auto isLeft = readNumber(w, kBcsrNumbers, ElementType::i64, kBcsrLeft);
    if (!isLeft)
      return isLeft.takeError();
    if (!*isLeft)
      out = std::move(*filled);
  }
  w.drop(kBcsrNumbers);
  if (!out)
    for (const char *array : {"blocks", kStepStart, "sliceStart", "col", "val"})
      w.drop(array);
  return out;
}

static llvm::Expected<std::optional<Layout>> packBcsr(Workspace &w, const Plan &plan,
                                                      const Problem &problem) {
  const BcsrJob job{w.csr(), plan, problem};
  const SharedSource kernels = keptSource(bcsrPackSource, plan, problem, job.csr.indexType);
  if (plan.get(key::kBcsrFull)) {
    auto packed = packFull(w, *kernels, job);
    if (!packed || *packed)
      return packed;
  }
  return packMerged(w, *kernels, job);
}

const Packing kBcsrPacking{bcsrPackSource, packBcsr};

} // namespace specmv
