// QCSR on the host (Zhang et al. 2013): its source and launches. plans.cpp offers plans,
// traffic.cpp estimates their traffic, layout.cpp packs the paper's layout, and slices/ has our own
// layout.
#include "generator/formats/qcsr/qcsr.h"
#include "generator/formats/qcsr/rates.h"

#include "generator/emit.h"
#include "generator/formats.h"
#include "generator/formats/qcsr/slices/packing.h"
#include "models/base/error.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

ElementType qcsrLocalType(int64_t d) {
  return d <= 256 ? ElementType::u8 : d <= 65536 ? ElementType::u16 : ElementType::i32;
}

ElementType qcsrSliceLocalType(int64_t d) { return qcsrLocalType(d + 1); }

// A warp packs chunks of at most 256 rows, whose row numbers fit a byte
// (templates/pack/qcsr_chunk.cuh).
static_assert(kQcsrWarpRows == 256);
ElementType qcsrRowType(int64_t rows) {
  return rows <= kQcsrWarpRows ? ElementType::u8 : ElementType::u16;
}

ElementType qcsrRowWordType(int64_t rows) {
  return rows == 32 ? ElementType::u8 : rows == 64 ? ElementType::u16 : ElementType::i32;
}

int64_t qcsrColumnBound(const Plan &plan, int64_t cols) {
  const int64_t words = (cols / plan.get(key::kQcsrD) + 1) << kQcsrTileBit;
  return qcsrHasSlices(plan) ? std::max(cols, words) : cols;
}

// The paper's layout has no window.
static int64_t windowOf(const Plan &plan) { return plan.get(key::kQcsrWindow, 0); }

int64_t qcsrWindowBytes(int64_t window, ValueType type) {
  // Padding reads one more value, a 0.
  return window > 0 ? (window + 1) * static_cast<int64_t>(sizeOf(type)) : 0;
}

int64_t qcsrSharedBytes(const Plan &plan, ValueType type) {
  const int64_t sums = qcsrChunksPerBlock(plan) * plan.get(key::kQcsrRows);
  const int64_t tile = qcsrStages(plan) && !qcsrHasSlices(plan) ? plan.get(key::kQcsrD) : 0;
  return (sums + tile) * static_cast<int64_t>(sizeOf(type)) + qcsrWindowBytes(windowOf(plan), type);
}

llvm::Error checkQcsrShared(const Plan &plan, ValueType type) {
  const int64_t window = qcsrWindowBytes(windowOf(plan), type);
  const int64_t fixed = qcsrSharedBytes(plan, type) - window;
  if (fixed > kQcsrSharedBytes || fixed + window > kMostSharedBytes)
    return fail(Status::notApplicable,
                "the plan needs {0} bytes of shared memory; the limit is {1}", fixed + window,
                fixed > kQcsrSharedBytes ? kQcsrSharedBytes : kMostSharedBytes);
  return llvm::Error::success();
}

// The columns of the tiles, if x is staged, and the last arguments of all kernels of the format.
static Fields commonFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t tiles) {
  const auto [value, offset, column] = typesOf(plan, problem);
  Fields end = joined({vectors(problem), {number("rows", offset, rows)}});
  if (!qcsrStages(plan))
    return end;
  return joined({{array("tileFirst", column, tiles), array("tileEnd", column, tiles)}, end});
}

Fields qcsrTileFields(const Plan &plan, const Problem &problem, const QcsrTileCounts &n) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return joined(
      {{array("chunkTiles", offset, n.chunks + 1), array("tileColumn", column, n.tiles),
        array("tileSegments", offset, n.tiles + 1), array("tileFull", offset, n.tiles),
        array("segmentRow", ElementType::u16, n.segments),
        array("segmentStart", offset, n.segments),
        array("segmentLength", ElementType::i32, n.segments),
        array("local", qcsrLocalType(plan.get(key::kQcsrD)), n.slots)},
       valueFields(plan, problem, n.slots + n.fullSlots),
       {array("fullBits", ElementType::u8, n.fullSlots / 8), number("fullBegin", offset, n.slots)},
       qcsrIsHalved(plan) ? Fields{array("chunkRow", offset, n.chunks + 1)} : Fields{},
       commonFields(plan, problem, n.rows, n.tiles)});
}

Fields qcsrSliceFields(const Plan &plan, const Problem &problem, const QcsrSliceCounts &n) {
  const auto [value, offset, column] = typesOf(plan, problem);
  constexpr int64_t lanes = 32;
  Fields own = {
      array("streamBatch", offset, n.streams + 1), array("streamLine", offset, n.streams + 1),
      array("streamRows", offset, n.streams + 1), array("batch", column, n.batches),
      // Two words more than needed, since the kernel loads words ahead.
      array("sliceRows", qcsrRowWordType(plan.get(key::kQcsrRows)), (n.rowWords + 2) * lanes),
      array("local", qcsrSliceLocalType(plan.get(key::kQcsrD)), n.lines * lanes)};
  own.append(valueFields(plan, problem, n.lines * lanes));
  if (qcsrStages(plan))
    own.append({array("chunkTiles", offset, n.chunks + 1),
                ifGeneral(windowOf(plan) == kAsArgument,
                          number(kQcsrWindowNumber, ElementType::i32, windowOf(plan)))});
  return joined({own, commonFields(plan, problem, n.rows, n.tiles)});
}

static Kernel paperKernel(const Plan &plan, const Problem &problem) {
  Kernel kernel = mainKernel("qcsr", "QcsrArgs", plan, problem, qcsrTileFields(plan, problem, {}));
  kernel.types.push_back(qcsrLocalType(plan.get(key::kQcsrD)));
  return kernel;
}

static Kernel slicesKernel(const Plan &plan, const Problem &problem) {
  const auto [value, offset, column] = typesOf(plan, problem);
  const int64_t rows = plan.get(key::kQcsrRows);
  // If x is staged, an SM must hold 1,024 threads, so a thread has at most 64 registers. These are
  // too few for 64-bit indices; then the compiler decides.
  const bool isFull = qcsrStages(plan) && offset == ElementType::i32 && column == ElementType::i32;
  Kernel kernel =
      mainKernel("qcsrSlices", "QcsrSlicesArgs", plan, problem, qcsrSliceFields(plan, problem, {}));
  for (ElementType type :
       {qcsrSliceLocalType(plan.get(key::kQcsrD)), qcsrRowType(rows), qcsrRowWordType(rows)})
    kernel.types.push_back(type);
  kernel.blocksPerSm = isFull ? kQcsrThreadsPerSm / plan.get(key::kBlock) : 0;
  return kernel;
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  return qcsrHasSlices(plan) ? slicesKernel(plan, problem) : paperKernel(plan, problem);
}

static PlanConstant constantOf(const Plan &plan, const Problem &problem) {
  PlanConstant constant{kPlanName,
                        qcsrHasSlices(plan) ? "QcsrSlicesPlan" : "QcsrPlan",
                        {{"blockThreads", plan.get(key::kBlock)},
                         {"d", plan.get(key::kQcsrD)},
                         {"rows", plan.get(key::kQcsrRows)}}};
  if (qcsrHasSlices(plan))
    constant.fields.insert(constant.fields.end(), {{"batch", kQcsrBatch},
                                                   {"stage", plan.get(key::kQcsrStage)},
                                                   {"window", plan.get(key::kQcsrWindow)}});
  else
    constant.fields.insert(constant.fields.end(), {{"lanes", plan.get(key::kQcsrRowLanes)},
                                                   {"align", plan.get(key::kQcsrAlign)},
                                                   {"fullLeaves", plan.get(key::kQcsrFull)},
                                                   {"halved", qcsrIsHalved(plan)},
                                                   {"stage", plan.get(key::kQcsrStage)}});
  constant.fields.emplace_back("readsY", problem.betaCanBeNonZero);
  return constant;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  return emit(plan, problem, {qcsrHasSlices(plan) ? "qcsr_slices.cuh" : "qcsr.cuh"},
              {constantOf(plan, problem)}, {kernelOf(plan, problem)});
}

// Returns true if x is staged, in a window that the plan gives.
static bool hasWindow(const Plan &plan) { return qcsrHasSlices(plan) && qcsrStages(plan); }
// Kernels that stage x depend on d only by the type of local columns, which has 16 bits in all
// plans that are offered, as with this d.
constexpr int64_t kLargestStaged = 32768;

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  const int64_t chunks = qcsrHasSlices(plan)
                             ? ceilDiv(layout.integer("rows"), plan.get(key::kQcsrRows))
                             : layout.find("chunkTiles")->count() - 1;
  const int64_t blocks = ceilDiv(chunks, qcsrChunksPerBlock(plan));
  Kernel kernel = kernelOf(plan, problem);
  if (hasWindow(plan))
    kernel.sharedBytes = qcsrWindowBytes(layout.integer(kQcsrWindowNumber), vectorTypeOf(problem));
  return launchOnly(kernel, blocks);
}

// One kernel serves all windows. Where none is staged, nothing follows from the matrix.
static Plan general(const Plan &plan) {
  const bool isServed = hasWindow(plan) && qcsrSliceLocalType(plan.get(key::kQcsrD)) ==
                                               qcsrSliceLocalType(kLargestStaged);
  return isServed ? plan.with(key::kQcsrD, kLargestStaged).with(key::kQcsrWindow, kAsArgument)
                  : plan;
}

static std::string gist(const Plan &plan) {
  const int64_t d = plan.get(key::kQcsrD);
  const ElementType local = qcsrHasSlices(plan) ? qcsrSliceLocalType(d) : qcsrLocalType(d);
  return llvm::formatv("its columns take {0} bits inside tiles of {1}{2} x {2}{3}{4}",
                       8 * sizeOf(local), qcsrIsHalved(plan) ? "at most " : "", d,
                       qcsrStages(plan) ? ", x is staged in shared memory" : "",
                       qcsrZeroCopy(plan) ? ", the matrix stays on the host" : "");
}

static llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (qcsrZeroCopy(plan) && a.nnz > kQcsrZeroCopyBytes) // before anything is packed
    return fail(
        Status::notApplicable,
        "the plan's qcsr.zerocopy = 1 is for matrices of up to {0} bytes; this one has {1} entries",
        kQcsrZeroCopyBytes, a.nnz);
  auto out =
      qcsrHasSlices(plan) ? qcsrSlicesLayout(a, plan, problem) : qcsrLayout(a, plan, problem);
  if (!out)
    return out;
  out->zeroCopy = qcsrZeroCopy(plan);
  if (out->zeroCopy && out->storedBytes() > kQcsrZeroCopyBytes)
    return fail(
        Status::notApplicable,
        "the plan's qcsr.zerocopy = 1 is for matrices of up to {0} bytes; this one takes {1}",
        kQcsrZeroCopyBytes, out->storedBytes());
  return out;
}

// Parameters that only the paper's layout has, and those that only slices have.
constexpr Parameter ofPaper(Parameter parameter) {
  parameter.where = key::kQcsrSlices.name;
  parameter.is = 0;
  return parameter;
}
constexpr Parameter ofSlices(Parameter parameter) {
  parameter.where = key::kQcsrSlices.name;
  parameter.is = 1;
  return parameter;
}

constexpr Parameter kParameters[] = {
    {.name = key::kQcsrD.name,
     .least = 16,
     .most = 1 << 20,
     .isPowerOfTwo = true,
     .isSettable = true,
     .tried = {16, 64, 256}},
    {.name = key::kQcsrFill.name,
     .least = 0,
     .isSettable = true,
     .isReal = true,
     .tried = {0.1, 0.5, 1},
     .where = key::kQcsrSlices.name,
     .is = 0},
    ofPaper({.name = key::kQcsrRowLanes.name,
             .least = 1,
             .most = 32,
             .isPowerOfTwo = true,
             .isSettable = true,
             .tried = {4, 16, 32}}),
    ofPaper({.name = key::kQcsrAlign.name,
             .least = 1,
             .most = 64,
             .isSettable = true,
             .tried = {1, 16}}),
    {.name = key::kQcsrSlices.name, .least = 0, .most = 1, .isSettable = true, .tried = {0, 1}},
    {.name = key::kQcsrStage.name, .least = 0, .most = 1, .isSettable = true, .tried = {0, 1}},
    ofPaper({.name = key::kQcsrHalved.name,
             .least = 0,
             .most = 1,
             .isSettable = true,
             .isOptional = true,
             .tried = {1}}),
    ofPaper({.name = key::kQcsrRows.name,
             .least = 1,
             .most = kQcsrMaxRows,
             .isPowerOfTwo = true,
             .isSettable = true,
             .tried = {32, 128}}),
    ofSlices({.name = key::kQcsrRows.name,
              .least = 32,
              .most = kQcsrMaxRows,
              .isPowerOfTwo = true,
              .isSettable = true}),
    {.name = key::kQcsrZerocopy.name, .least = 0, .most = 1, .isSettable = true, .tried = {1}},
    ofPaper({.name = key::kQcsrFull.name, .least = 0, .most = 1}),
    ofSlices({.name = key::kQcsrWindow.name, .least = 0, .most = 1 << 16}),
    ofPaper(kBlockParameter),
    ofSlices(
        {.name = key::kBlock.name, .least = 32, .most = kQcsrThreadsPerSm, .isPowerOfTwo = true})};

constexpr PlanPattern kStandard[] = {
    {"qcsr qcsr.d=32768 qcsr.slices=1 qcsr.stage=0 qcsr.zerocopy=0 qcsr.rows={32,64,128,256} "
     "window=0 block=256"},
    {"qcsr qcsr.d=32768 qcsr.slices=1 qcsr.stage=1 qcsr.zerocopy=0 qcsr.rows={512,1024,2048,4096} "
     "window=-1 block={256,512,1024}"}};

const Format kQcsr{.name = "qcsr",
                   .parameters = kParameters,
                   .offer = qcsrOffer,
                   .traffic = qcsrTraffic,
                   .pack = pack,
                   .source = source,
                   .steps = steps,
                   .gist = gist,
                   .general = general,
                   .isWorthCompiling = false,
                   .rates = kQcsrRates,
                   .paces = kQcsrPaces,
                   .shortlist = {3},
                   .leastTraffic = qcsrLeastTraffic,
                   .standard = kStandard,
                   .fuses = Fuses::rows,
                   .packing = &kQcsrPacking};

} // namespace specmv
