// Packs column tiles on the GPU (templates/pack/ctile.cuh): cuts the rows, places them, and fills
// their slots. The host divides the work among blocks.
#include "generator/formats/ctile/packing.h"

#include "generator/formats/ctile/layout.h"
#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"
#include "templates/pack/ctile_sizes.cuh"

namespace specmv {

constexpr const char *kCtileCut = "tileCut", *kCtileStart = "placeStart",
                     *kCtileTileStart = "tileStart", *kCtileShift = "tileShift",
                     *kCtileEnd = "tileEnd", *kCtileMarks = "marks", *kCtileDescents = "descents",
                     *kCtilePieceBegin = "pieceBegin", *kCtilePieceEnd = "pieceEnd";

namespace {
// The packing of one matrix, from which the arguments of the kernels follow.
struct CtileJob {
  const DeviceCsr &csr;
  const Plan &plan;
  const Problem &problem;
  CtileCounts n = {}; // zeros while only the source is emitted

  ElementType index() const { return elementOf(csr.indexType); }
  ElementType value() const { return elementOf(csr.valueType); }
  int64_t width() const { return ctileWidth(plan, n.cols); }
  int64_t warps() const { return plan.get(key::kCtileThreads) / 32; }
  int64_t places() const { return n.rows * n.tiles; }
  int64_t shares() const { return n.pieces * warps() + 1; }
  Fields sides() const { return {wideNumber("rows", n.rows), wideNumber("tiles", n.tiles)}; }
};
} // namespace

// The field `places` of several kernels.
static Fields placesOf(const CtileJob &job) {
  Fields out = joined({{csrRowPtrOf(job.csr), array("cut", job.index(), 0, kCtileCut),
                        array("start", ElementType::i64, 0, kCtileStart),
                        array("shift", ElementType::i64, 0, kCtileShift),
                        array("end", ElementType::i64, 0, kCtileEnd)},
                       job.sides()});
  for (Field &field : out)
    field.argument.field = "places";
  return out;
}

// The blocks of kernels in which a warp takes some of the entries.
static int64_t blocksOfEntries(const CtileJob &job) {
  return ceilDiv(job.csr.nnz, kSetupBlock / 32 * int64_t{kCtileOfWarp});
}

static SetupLaunch ctileLooking(const CtileJob &job) {
  return {setupKernel("ctileAscent", "CtileAscentArgs", {job.index()},
                      {csrRowPtrOf(job.csr), csrColOf(job.csr),
                       filled("descents", ElementType::u64, kCtileDescents),
                       wideNumber("rows", job.n.rows), wideNumber("nnz", job.csr.nnz)}),
          blocksOfEntries(job)};
}

static SetupLaunch ctileCutting(const CtileJob &job) {
  return {
      setupKernel("ctileCut", "CtileCutArgs", {job.index()},
                  {csrRowPtrOf(job.csr), csrColOf(job.csr), filled("cut", job.index(), kCtileCut),
                   wideNumber("rows", job.n.rows), wideNumber("nnz", job.csr.nnz),
                   wideNumber("tiles", job.n.tiles), wideNumber("width", job.width())}),
      blocksOfEntries(job)};
}

static SetupLaunch ctileCounting(const CtileJob &job) {
  return {setupKernel("ctileCount", "CtileCountArgs", {job.index()},
                      joined({{csrRowPtrOf(job.csr), array("cut", job.index(), 0, kCtileCut),
                               filled("start", ElementType::i64, kCtileStart)},
                              job.sides()})),
          ceilDiv(job.places(), kSetupBlock)};
}

static SetupLaunch ctileCollecting(const CtileJob &job) {
  return {setupKernel("ctileCollect", "CtileCollectArgs", {},
                      joined({{array("start", ElementType::i64, 0, kCtileStart),
                               filled("tileStart", ElementType::i64, kCtileTileStart)},
                              job.sides()})),
          1};
}

// The launches that fill the arrays when the places of all rows are known.
static std::vector<SetupLaunch> ctileFillings(const CtileJob &job) {
  const auto [value, offset, column] = typesOf(job.plan, job.problem);
  const Fields placesAndEntries = joined({placesOf(job), entriesOf(job.csr)});
  return {{setupKernel("ctileMark", "CtileMarkArgs", {job.index(), job.value()},
                       joined({placesAndEntries,
                               {filled("marks", ElementType::u32, kCtileMarks),
                                filled("local", ElementType::u16),
                                narrowNumber("columns", job.plan.get(key::kCtileColumns))}})),
           ceilDiv(job.places(), kSetupBlock)},
          {setupKernel("ctileFill", "CtileFillArgs", {job.index(), job.value()},
                       joined({placesOf(job),
                               {csrColOf(job.csr)},
                               entriesOf(job.csr),
                               {filled("local", ElementType::u16), wideNumber("nnz", job.csr.nnz),
                                wideNumber("width", job.width())}})),
           blocksOfEntries(job)},
          {setupKernel("ctileEnds", "CtileEndsArgs", {},
                       {array("marks", ElementType::u32, 0, kCtileMarks),
                        filled("ends", ElementType::u16), wideNumber("batches", job.n.batches)}),
           ceilDiv(job.n.batches * 32, kSetupBlock)},
          {setupKernel(
               "ctileShares", "CtileSharesArgs", {job.index(), offset, column},
               joined({placesOf(job),
                       {array("blockPiece", ElementType::i32, 0), array("pieceColumn", column, 0),
                        array("pieceBegin", ElementType::i64, 0, kCtilePieceBegin),
                        array("pieceEnd", ElementType::i64, 0, kCtilePieceEnd),
                        filled("shareBatch", ElementType::i32), filled("shareRow", offset),
                        filled(kOpenRow, ElementType::i64), wideNumber("width", job.width()),
                        wideNumber("blocks", job.n.blocks), wideNumber("pieces", job.n.pieces),
                        wideNumber("warps", job.warps()), wideNumber("batches", job.n.batches),
                        wideNumber("endSlots", ctileEndSlots(job.problem))}})),
           ceilDiv(job.shares(), kSetupBlock)},
          {openRowsKernel(job.n.blocks), ceilDiv(job.n.blocks + 1, kSetupBlock)}};
}

static KernelSource ctilePackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const CtileJob job{csr, plan, problem};
  std::vector<SetupKernel> kernels = scanKernels(kCtileStart, ElementType::i64);
  for (const SetupLaunch &launch :
       {ctileLooking(job), ctileCutting(job), ctileCounting(job), ctileCollecting(job)})
    kernels.push_back(launch.kernel);
  for (SetupKernel &kernel : kernelsOf(ctileFillings(job)))
    kernels.push_back(std::move(kernel));
  return emitSetup("packing of ctile", {kScanHeader, kOpenRowsHeader, "pack/ctile.cuh"}, kernels);
}

// Cuts the rows and places them one after another. Returns the first slot of each tile and the
// number of all, without what fills the last batches of tiles; none if the columns of a row do not
// ascend.
static llvm::Expected<std::vector<int64_t>>
placeCtileRows(Workspace &w, const KernelSource &kernels, const CtileJob &job) {
  const int64_t tiles = job.n.tiles;
  for (const auto &[name, type, count] : {std::tuple(kCtileCut, job.index(), job.places()),
                                          {kCtileStart, ElementType::i64, job.places() + 1},
                                          {kCtileTileStart, ElementType::i64, tiles + 1},
                                          {kCtileDescents, ElementType::u64, 1}})
    if (llvm::Error error = w.addScratch(name, type, count, Contents::zeros))
      return error;
  if (llvm::Error error = launchAll(w, kernels, {ctileLooking(job)}))
    return error;
  auto descents = readNumber(w, kCtileDescents, ElementType::u64, 0);
  if (!descents)
    return descents.takeError();
  if (*descents > 0)
    return std::vector<int64_t>();
  if (llvm::Error error = launchAll(w, kernels, {ctileCutting(job), ctileCounting(job)}))
    return error;
  if (llvm::Error error = placeCounts(w, kernels, kCtileStart, ElementType::i64, job.places() + 1))
    return error;
  if (llvm::Error error = launchAll(w, kernels, {ctileCollecting(job)}))
    return error;
  std::vector<int64_t> starts(tiles + 1);
  if (llvm::Error error = w.read(kCtileTileStart, 0, tiles + 1, starts.data()))
    return error;
  return starts;
}

// Writes an array of the layout or of the packing from numbers of the host.
template <class To>
static llvm::Error writeCtileNumbers(Workspace &w, const char *name,
                                     const std::vector<int64_t> &numbers) {
  const std::vector<To> out(numbers.begin(), numbers.end());
  return w.write(name, out.data(), static_cast<int64_t>(out.size()));
}

// Adds the tables of tiles and pieces.
static llvm::Error writeCtileTables(Workspace &w, const CtileJob &job, const CtilePieces &pieces,
                                    const std::vector<int64_t> &starts,
                                    const std::vector<int64_t> &tileBatch) {
  std::vector<int64_t> shift, end, column;
  for (int64_t tile = 0; tile < job.n.tiles; ++tile) {
    shift.push_back(tileBatch[tile] * kCtileBatch - starts[tile]);
    end.push_back(tileBatch[tile + 1] * kCtileBatch);
  }
  for (int64_t tile : pieces.tile)
    column.push_back(tile * job.width());
  const bool isWide = indexTypesOf(job.plan).column == ElementType::i64;
  const std::pair<const char *, const std::vector<int64_t> &> wide[] = {
      {kCtileShift, shift},
      {kCtileEnd, end},
      {kCtilePieceBegin, pieces.begin},
      {kCtilePieceEnd, pieces.end}};
  for (const auto &[name, numbers] : wide) {
    if (llvm::Error error = w.addScratch(name, ElementType::i64,
                                         static_cast<int64_t>(numbers.size()), Contents::undefined))
      return error;
    if (llvm::Error error = writeCtileNumbers<int64_t>(w, name, numbers))
      return error;
  }
  if (llvm::Error error = writeCtileNumbers<int32_t>(w, "blockPiece", pieces.blockPiece))
    return error;
  return isWide ? writeCtileNumbers<int64_t>(w, "pieceColumn", column)
                : writeCtileNumbers<int32_t>(w, "pieceColumn", column);
}

static llvm::Expected<std::optional<Layout>> packCtile(Workspace &w, const Plan &plan,
                                                       const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = checkCtilePlan(plan, csr, problem))
    return error;
  CtileJob job{csr, plan, problem, {csr.rows, csr.cols, ctileTiles(plan, csr.cols)}};
  if (csr.rows == 0)
    return std::nullopt;
  const SharedSource kernels = keptSource(ctilePackSource, plan, problem, csr.indexType);
  auto starts = placeCtileRows(w, *kernels, job);
  if (!starts)
    return starts.takeError();
  if (starts->empty())
    return std::nullopt;
  std::vector<int64_t> tileBatch{0};
  for (int64_t tile = 0; tile < job.n.tiles; ++tile)
    tileBatch.push_back(tileBatch.back() +
                        ceilDiv((*starts)[tile + 1] - (*starts)[tile], int64_t{kCtileBatch}));
  job.n.batches = tileBatch.back();
  if (llvm::Error error = checkCtileSlots(plan, csr, job.n.batches * kCtileBatch))
    return error;
  const CtilePieces pieces = ctilePiecesOf(plan, problem, csr, tileBatch);
  job.n.blocks = pieces.blocks();
  job.n.pieces = pieces.pieces();
  Layout out = layoutOnGpu(ctileAllFields(plan, problem, job.n));
  if (llvm::Error error = addArrays(w, out))
    return error;
  if (llvm::Error error = writeCtileTables(w, job, pieces, *starts, tileBatch))
    return error;
  if (llvm::Error error =
          w.addScratch(kCtileMarks, ElementType::u32, job.n.batches * 8, Contents::zeros))
    return error;
  if (llvm::Error error =
          w.addScratch(kOpenRow, ElementType::i64, job.n.blocks + 1, Contents::undefined))
    return error;
  if (llvm::Error error = launchAll(w, *kernels, ctileFillings(job)))
    return error;
  for (const char *name : {kCtileCut, kCtileStart, kCtileTileStart, kCtileDescents, kCtileShift,
                           kCtileEnd, kCtileMarks, kCtilePieceBegin, kCtilePieceEnd, kOpenRow})
    w.drop(name);
  return out;
}

const Packing kCtilePacking{ctilePackSource, packCtile};

} // namespace specmv
