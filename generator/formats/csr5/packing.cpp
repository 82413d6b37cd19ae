// Packs CSR5 on the GPU (templates/pack/csr5.cuh).
#include "generator/formats/csr5/packing.h"

#include "generator/formats/csr5/layout.h"
#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"
#include "templates/pack/csr5_sizes.cuh"

namespace specmv {

constexpr const char *kEmptyCount = "emptyCount", *kGapStart = "gapStart";

namespace {
// The packing of one matrix, from which the arguments of the kernels follow.
struct Csr5Job {
  const DeviceCsr &csr;
  const Plan &plan;
  const Problem &problem;
  Csr5Shape shape;

  int64_t lanes() const { return shape.tiles * shape.omega; }
  int64_t rowBlocks() const { return ceilDiv(csr.rows, int64_t{kSetupBlock}); }
  ElementType offset() const { return indexTypesOf(plan).offset; }
  ElementType flags() const { return csr5FlagType(shape.sigma); }
  std::vector<ElementType> types() const { return {elementOf(csr.indexType), offset(), flags()}; }
  Fields sides() const {
    return {narrowNumber("omega", shape.omega), narrowNumber("sigma", shape.sigma)};
  }
  Fields counts() const {
    return {wideNumber("rows", csr.rows), wideNumber("nnz", csr.nnz),
            wideNumber("tiles", shape.tiles)};
  }
};
} // namespace

static SetupKernel csr5RowsKernel(const Csr5Job &job) {
  return setupKernel(
      "csr5Rows", "Csr5RowsArgs", job.types(),
      joined({{csrRowPtrOf(job.csr), filled("bitFlag", job.flags()),
               filled("tilePtr", job.offset()), filled(kEmptyCount, ElementType::i64)},
              job.counts(),
              job.sides()}));
}

static SetupKernel csr5LanesKernel(const Csr5Job &job) {
  const int64_t blockLanes = job.shape.blockTiles() * job.shape.omega;
  return setupKernel(
      "csr5Lanes", "Csr5LanesArgs", job.types(),
      joined({{csrRowPtrOf(job.csr), array("bitFlag", job.flags(), job.lanes()),
               array("tilePtr", job.offset(), job.shape.tiles + 1),
               filled("laneOffset", ElementType::u16), filled(kGapStart, ElementType::i64),
               filled(kOpenRow, ElementType::i64), wideNumber("lanes", job.lanes()),
               wideNumber("blocks", job.shape.blocks())},
              job.sides(),
              {narrowNumber("blockLanes", blockLanes)}}));
}

static SetupKernel csr5FillKernel(const Csr5Job &job) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  return setupKernel("csr5Fill", "Csr5FillArgs", {elementOf(job.csr.indexType), column, value},
                     joined({{csrColOf(job.csr)},
                             entriesOf(job.csr),
                             {filled("col", column), wideNumber("lanes", job.lanes()),
                              wideNumber("nnz", job.csr.nnz)},
                             job.sides()}),
                     kCsr5FillBlock);
}

static SetupKernel csr5EmptyKernel(const Csr5Job &job) {
  const ElementType offset = job.offset();
  return setupKernel("csr5Empty", "Csr5EmptyArgs", job.types(),
                     joined({{csrRowPtrOf(job.csr), array("bitFlag", job.flags(), job.lanes()),
                              array("laneOffset", ElementType::u16, job.lanes()),
                              array("tilePtr", offset, job.shape.tiles + 1),
                              array(kGapStart, ElementType::i64, job.shape.tiles + 1),
                              array(kEmptyCount, ElementType::i64, job.rowBlocks() + 1),
                              filled("emptyPtr", offset), filled("emptyOffset", offset),
                              filled("emptyRow", offset)},
                             job.counts(),
                             job.sides()}));
}

// Plans with hot columns have kernels for them too.
static KernelSource csr5PackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const Csr5Job job{csr, plan, problem, Csr5Shape(plan, 0)};
  std::vector<SetupKernel> kernels = scanKernels(kEmptyCount, ElementType::i64);
  kernels.push_back(openRowsKernel(0));
  for (auto kernelOf : {csr5RowsKernel, csr5LanesKernel, csr5FillKernel, csr5EmptyKernel})
    kernels.push_back(kernelOf(job));
  std::vector<std::string> headers = {kScanHeader, kOpenRowsHeader, "pack/csr5.cuh"};
  if (job.shape.hot != 0) {
    for (SetupKernel &kernel : hotKernels(csr, indexTypesOf(plan).column))
      kernels.push_back(std::move(kernel));
    headers.emplace_back(kHotHeader);
  }
  return emitSetup("packing of " + plan.format, headers, kernels);
}

// Adds the named arrays of the layout.
static llvm::Error addCsr5(Workspace &w, const Csr5Job &job, llvm::ArrayRef<const char *> names,
                           Contents contents) {
  for (const Field &field : csr5Fields(job.plan, job.problem, job.shape))
    for (const char *name : names)
      if (llvm::StringRef(field.argument.name) == name)
        if (llvm::Error error = w.add(name, field.argument.type, field.count, contents))
          return error;
  return llvm::Error::success();
}

// Marks the begins of rows and lists the rows of tiles. Returns the number of empty rows.
static llvm::Expected<int64_t> markRows(Workspace &w, const KernelSource &kernels,
                                        const Csr5Job &job) {
  if (llvm::Error error = addCsr5(w, job, {"bitFlag", "tilePtr"}, Contents::zeros))
    return error;
  if (llvm::Error error =
          w.addScratch(kEmptyCount, ElementType::i64, job.rowBlocks() + 1, Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(kernels, csr5RowsKernel(job), job.rowBlocks()))
    return error;
  return scanCounts(w, kernels, kEmptyCount, ElementType::i64, job.rowBlocks() + 1);
}

// Describes the lanes of all tiles, and the rows that are open between blocks.
static llvm::Error describeLanes(Workspace &w, const KernelSource &kernels, const Csr5Job &job) {
  if (llvm::Error error = addCsr5(w, job, {"laneOffset"}, Contents::undefined))
    return error;
  if (llvm::Error error =
          w.addScratch(kGapStart, ElementType::i64, job.shape.tiles + 1, Contents::undefined))
    return error;
  if (llvm::Error error =
          w.addScratch(kOpenRow, ElementType::i64, job.shape.blocks() + 1, Contents::undefined))
    return error;
  // At least one block, for the open rows of a matrix without entries.
  const int64_t blocks = std::max<int64_t>(1, ceilDiv(job.lanes(), int64_t{kSetupBlock}));
  if (llvm::Error error = w.launch(kernels, csr5LanesKernel(job), blocks))
    return error;
  return packOpenRows(w, kernels, job.problem, job.shape.blocks());
}

// Lists the empty rows, and the rows that end in tiles where they are not consecutive.
static llvm::Error listEmptyRows(Workspace &w, const KernelSource &kernels, Csr5Job &job) {
  if (job.shape.emptyRows > 0) {
    auto gaps = scanCounts(w, kernels, kGapStart, ElementType::i64, job.shape.tiles + 1);
    if (!gaps)
      return gaps.takeError();
    job.shape.gaps = *gaps;
  }
  if (llvm::Error error =
          addCsr5(w, job, {"emptyPtr", "emptyOffset", "emptyRow"}, Contents::undefined))
    return error;
  const int64_t blocks = std::max(job.rowBlocks(), ceilDiv(job.shape.tiles, int64_t{kSetupBlock}));
  if (llvm::Error error =
          w.launch(kernels, csr5EmptyKernel(job), job.shape.emptyRows > 0 ? blocks : 0))
    return error;
  w.drop(kGapStart);
  w.drop(kEmptyCount);
  return llvm::Error::success();
}

static llvm::Error moveEntries(Workspace &w, const KernelSource &kernels, const Csr5Job &job,
                               const Layout &out) {
  if (llvm::Error error = addCsr5(w, job, {"col"}, Contents::undefined))
    return error;
  if (llvm::Error error = addValues(w, out))
    return error;
  return w.launch(kernels, csr5FillKernel(job), ceilDiv(job.lanes(), int64_t{kCsr5FillBlock}));
}

static llvm::Expected<std::optional<Layout>> packCsr5(Workspace &w, const Plan &plan,
                                                      const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  Csr5Job job{csr, plan, problem, Csr5Shape(plan, csr.nnz)};
  const SharedSource kernels = keptSource(csr5PackSource, plan, problem, csr.indexType);
  auto emptyRows = markRows(w, *kernels, job);
  if (!emptyRows)
    return emptyRows.takeError();
  if (llvm::Error error = checkCsr5Plan(csr, plan, problem, *emptyRows))
    return error;
  job.shape.emptyRows = *emptyRows;
  if (llvm::Error error = describeLanes(w, *kernels, job))
    return error;
  if (llvm::Error error = listEmptyRows(w, *kernels, job))
    return error;
  Layout out = layoutOnGpu(allCsr5Fields(plan, problem, job.shape));
  if (llvm::Error error = moveEntries(w, *kernels, job, out))
    return error;
  if (job.shape.hot == 0)
    return out;
  if (llvm::Error error = addCsr5(w, job, {"hotX"}, Contents::zeros))
    return error;
  if (llvm::Error error =
          renumberHot(w, *kernels, indexTypesOf(plan).column, job.shape.hot, job.shape.slots()))
    return error;
  return out;
}

const Packing kCsr5Packing{csr5PackSource, packCsr5};

} // namespace specmv
