// Packs QCSR in slices on the GPU (templates/pack/qcsr_count.cuh, qcsr_place.cuh, qcsr_fill.cuh).
#include "generator/formats/qcsr/slices/packing.h"

#include "generator/formats/qcsr/slices/layout.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"
#include "models/base/error.h"
#include "llvm/Support/MathExtras.h"

#include <array>

namespace specmv {

constexpr const char *kQcsrTotalsName = "totals", *kQcsrPlaces = "places",
                     *kQcsrSliceLine = "sliceLine", *kQcsrSliceOrigin = "sliceOrigin",
                     *kQcsrSegmentBegin = "segmentBegin", *kQcsrSegmentLength = "segmentLength";

namespace {
// The packing of one matrix, from which the arguments of the kernels and their sizes follow.
struct QcsrPackJob {
  const Plan &plan;
  const Problem &problem;
  DeviceCsr csr;
  QcsrSliceShape shape = qcsrSliceShapeOf(plan);
  int64_t chunks = ceilDiv(csr.rows, shape.rows);
  ElementType index = elementOf(csr.indexType), row = qcsrRowType(shape.rows),
              word = qcsrRowWordType(shape.rows), local = qcsrSliceLocalType(shape.d);
  // A warp packs a small chunk, a block a larger one.
  int64_t chunksPerBlock = shape.rows <= kQcsrWarpRows ? kSetupBlock / 32 : 1;
  int64_t blocks = std::min(kFewBlocks, ceilDiv(chunks, chunksPerBlock));
};
} // namespace

static Fields rowsAndColumns(const QcsrPackJob &job) {
  return {csrRowPtrOf(job.csr), array(kCsrCol, job.index, job.csr.nnz)};
}

static SetupKernel qcsrAscentKernel(const QcsrPackJob &job) {
  SetupKernel out =
      setupKernel("qcsrAscent", "QcsrAscentArgs", {job.index},
                  joined({rowsAndColumns(job),
                          {scratch(kQcsrTotalsName, ElementType::u64, kQcsrTotals),
                           wideNumber("rows", job.csr.rows), wideNumber("nnz", job.csr.nnz)}}));
  out.kernel.blocksPerSm = kQcsrFillBlocksPerSm;
  return out;
}

// The last arguments of all kernels that cut chunks.
static Fields chunkNumbers(const QcsrPackJob &job) {
  const auto log = [](int64_t x) { return llvm::Log2_64(static_cast<uint64_t>(x)); };
  return {narrowNumber("chunkRows", job.shape.rows), narrowNumber("logRows", log(job.shape.rows)),
          narrowNumber("logD", log(job.shape.d)), narrowNumber("stage", job.shape.stage),
          narrowNumber("streams", job.shape.stage ? job.shape.warps : 1)};
}

static SetupKernel qcsrCountKernel(const QcsrPackJob &job) {
  SetupKernel out =
      setupKernel("qcsrCount", "QcsrCountArgs", {job.index, job.row, job.word},
                  joined({rowsAndColumns(job),
                          {scratch(kQcsrTotalsName, ElementType::u64, kQcsrTotals),
                           filled(kQcsrPlaces, ElementType::i64), wideNumber("rows", job.csr.rows),
                           wideNumber("chunks", job.chunks)},
                          chunkNumbers(job)}));
  out.kernel.blocksPerSm = kQcsrCutBlocksPerSm;
  return out;
}

static SetupKernel qcsrPlaceKernel(const QcsrPackJob &job, int64_t streams) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  SetupKernel out = setupKernel(
      "qcsrPlace", "QcsrPlaceArgs", {job.index, offset, column, job.row, job.word},
      joined(
          {rowsAndColumns(job),
           {array(kQcsrPlaces, ElementType::i64, 0), filled("streamBatch", offset),
            filled("streamLine", offset), filled("streamRows", offset), filled("batch", column),
            filled("sliceRows", job.word), filled("chunkTiles", offset),
            filled("tileFirst", column), filled("tileEnd", column), filled(kQcsrSliceLine, offset),
            filled(kQcsrSliceOrigin, job.index), filled(kQcsrSegmentBegin, job.index),
            filled(kQcsrSegmentLength, ElementType::u32), wideNumber("rows", job.csr.rows),
            wideNumber("chunks", job.chunks), wideNumber("allStreams", streams)},
           chunkNumbers(job)}));
  out.kernel.blocksPerSm = kQcsrCutBlocksPerSm;
  return out;
}

static SetupKernel qcsrFillKernel(const QcsrPackJob &job, int64_t slices, int64_t lines) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  SetupKernel out = setupKernel(
      "qcsrFill", "QcsrFillArgs", {job.index, offset, value, job.local},
      joined(
          {{csrColOf(job.csr)},
           entriesOf(job.csr),
           {array(kQcsrSliceLine, offset, slices + 1), array(kQcsrSliceOrigin, job.index, slices),
            array(kQcsrSegmentBegin, job.index, slices * kQcsrLanes),
            array(kQcsrSegmentLength, ElementType::u32, slices * kQcsrLanes),
            filled("local", job.local), wideNumber("slices", slices), wideNumber("lines", lines),
            narrowNumber("padding", job.shape.stage ? job.shape.window : job.shape.d)}}));
  // The kernel handles entries as values or as numbers. ptxas 13.0 needs 85 registers for this,
  // more with 64-bit ones; with fewer it spills.
  const bool isWide = offset == ElementType::i64 || job.index == ElementType::i64;
  out.kernel.blocksPerSm = isWide ? 2 : 3;
  return out;
}

static bool isPackedOnHost(const Plan &plan) { return !qcsrHasSlices(plan) || qcsrZeroCopy(plan); }

static KernelSource qcsrSourceOrNone(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  if (isPackedOnHost(plan))
    return {};
  const QcsrPackJob job{plan, problem, {{}, csrIndex, problem.type}};
  std::vector<SetupKernel> kernels = scanKernels(kQcsrPlaces, ElementType::i64);
  for (SetupKernel &kernel : std::array{qcsrAscentKernel(job), qcsrCountKernel(job),
                                        qcsrPlaceKernel(job, 0), qcsrFillKernel(job, 0, 0)})
    kernels.push_back(std::move(kernel));
  return emitSetup(
      "packing of qcsr",
      {kScanHeader, "pack/qcsr_count.cuh", "pack/qcsr_place.cuh", "pack/qcsr_fill.cuh"}, kernels);
}

using QcsrTotalsRead = std::array<uint64_t, kQcsrTotals>;

// Counts all chunks, and stores in kQcsrPlaces where each begins.
static llvm::Expected<QcsrTotalsRead> countChunks(Workspace &w, const KernelSource &kernels,
                                                  const QcsrPackJob &job) {
  const int64_t places = kQcsrSizes * job.chunks + 1;
  if (llvm::Error error =
          w.addScratch(kQcsrTotalsName, ElementType::u64, kQcsrTotals, Contents::zeros))
    return error;
  if (llvm::Error error = w.addScratch(kQcsrPlaces, ElementType::i64, places, Contents::zeros))
    return error;
  const int64_t most = std::max(job.csr.rows, job.csr.nnz);
  if (llvm::Error error = w.launch(kernels, qcsrAscentKernel(job),
                                   std::min(kFewBlocks, ceilDiv(most, kSetupBlock))))
    return error;
  if (llvm::Error error = w.launch(kernels, qcsrCountKernel(job), job.blocks))
    return error;
  if (llvm::Error error = placeCounts(w, kernels, kQcsrPlaces, ElementType::i64, places))
    return error;
  QcsrTotalsRead totals{};
  if (llvm::Error error = w.read(kQcsrTotalsName, 0, kQcsrTotals, totals.data()))
    return error;
  w.drop(kQcsrTotalsName);
  return totals;
}

// Adds the arrays that only the next two kernels use.
static llvm::Error addSegments(Workspace &w, const QcsrPackJob &job, int64_t slices) {
  const ElementType offset = indexTypesOf(job.plan).offset;
  const std::tuple<const char *, ElementType, int64_t> arrays[] = {
      {kQcsrSliceLine, offset, slices + 1},
      {kQcsrSliceOrigin, job.index, slices},
      {kQcsrSegmentBegin, job.index, slices * kQcsrLanes},
      {kQcsrSegmentLength, ElementType::u32, slices * kQcsrLanes}};
  for (const auto &[name, type, count] : arrays)
    if (llvm::Error error = w.add(name, type, count, Contents::undefined))
      return error;
  return llvm::Error::success();
}

// Adds empty arrays that are arguments of the kernels but belong to the layout only if x is staged.
static llvm::Error addUnstagedArrays(Workspace &w, const QcsrPackJob &job) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  const std::pair<const char *, ElementType> arrays[] = {
      {"chunkTiles", offset}, {"tileFirst", column}, {"tileEnd", column}};
  for (const auto &[name, type] : arrays)
    if (llvm::Error error = w.add(name, type, 0, Contents::undefined))
      return error;
  return llvm::Error::success();
}

// Fills the arrays of the layout, which are in the workspace.
static llvm::Error fillSliceArrays(Workspace &w, const KernelSource &kernels,
                                   const QcsrPackJob &job, const QcsrSliceCounts &n,
                                   int64_t slices) {
  if (llvm::Error error = addSegments(w, job, slices))
    return error;
  if (!job.shape.stage)
    if (llvm::Error error = addUnstagedArrays(w, job))
      return error;
  if (llvm::Error error = w.launch(kernels, qcsrPlaceKernel(job, n.streams),
                                   std::max<int64_t>(1, job.blocks))) // one writes the ends
    return error;
  w.drop(kQcsrPlaces);
  constexpr int64_t perBlock = kQcsrFilledLines * (kSetupBlock / 32);
  if (llvm::Error error =
          w.launch(kernels, qcsrFillKernel(job, slices, n.lines), ceilDiv(n.lines, perBlock)))
    return error;
  for (const char *name : {kQcsrSliceLine, kQcsrSliceOrigin, kQcsrSegmentBegin, kQcsrSegmentLength})
    w.drop(name);
  if (!job.shape.stage)
    for (const char *name : {"chunkTiles", "tileFirst", "tileEnd"})
      w.drop(name);
  return llvm::Error::success();
}

static llvm::Expected<std::optional<Layout>> packQcsrSlices(Workspace &w, const Plan &plan,
                                                            const Problem &problem) {
  // The paper's layout has Full leaves, and zero-copy is for matrices that stay on the host.
  if (isPackedOnHost(plan))
    return std::nullopt;
  if (llvm::Error error = checkQcsrSlicesPlan(plan, vectorTypeOf(problem)))
    return error;
  const QcsrPackJob job{plan, problem, w.csr()};
  const SharedSource kernels = keptSource(qcsrSourceOrNone, plan, problem, w.csr().indexType);
  auto counted = countChunks(w, *kernels, job);
  if (!counted)
    return counted.takeError();
  const auto total = [&](QcsrTotal which) { return static_cast<int64_t>((*counted)[which]); };
  // The host must pack this matrix: it sorts the entries of rows, and packs chunks of any number of
  // tiles.
  if (total(kQcsrDescents) != 0 || total(kQcsrUnfit) != 0)
    return std::nullopt;
  const QcsrSliceCounts n{.rows = job.csr.rows,
                          .chunks = job.chunks,
                          .tiles = total(kQcsrTiles),
                          .streams = qcsrStreamsOf(plan, job.chunks, total(kQcsrTiles)),
                          .batches = total(kQcsrBatches),
                          .rowWords = total(kQcsrRowWords),
                          .lines = total(kQcsrLines)};
  if (llvm::Error error = checkQcsrSlicesSize(job.csr, plan, n, total(kQcsrWindow)))
    return error;
  Layout out = layoutOnGpu(qcsrSliceFields(plan, problem, n));
  if (llvm::Error error = addArrays(w, out))
    return error;
  if (llvm::Error error = fillSliceArrays(w, *kernels, job, n, total(kQcsrSlices)))
    return error;
  return out;
}

const Packing kQcsrPacking{qcsrSourceOrNone, packQcsrSlices};

} // namespace specmv
