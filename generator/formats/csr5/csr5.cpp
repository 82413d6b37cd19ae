// CSR5 on the host (Liu and Vinter 2015): its plans, source and launch. layout.cpp packs.
#include "generator/formats.h"
#include "generator/formats/csr5/layout.h"
#include "generator/formats/csr5/packing.h"
#include "generator/formats/csr5/traffic.h"
#include "templates/shared/constants.cuh"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cmath>

namespace specmv {

// Lanes of a tile: the warp's width, as in the paper.
constexpr int64_t kOmega = 32;

// A lane has a batch of loads in flight, or, in tiles of kWideSigma, one and a half. If rows are
// shorter than kShortRows on average, more rows may end in a wide tile than fit shared memory at a
// time: two thirds of its entries.
constexpr int64_t kLeastSigma = 4, kBatchSigma = kCsr5Batch, kWideSigma = 12;
constexpr double kShortRows = 2;

// Up to this number of entries for each lane that the GPU holds, all blocks with entries run at
// once, in one wave: those of a second wave would have the GPU to themselves at its end. Beyond it,
// many waves end with less delay than blocks of unequal duration, and a lane takes kOfManyWaves
// entries.
constexpr double kMostAtOnce = 48;
constexpr int64_t kOfManyWaves = 16;

// Returns the number of entries of the matrix for each lane that the GPU holds at a time.
static double entriesOfLane(const PlanRequest &in) {
  return static_cast<double>(in.profile.nnz) / static_cast<double>(in.gpu.sms * kCsr5BusyThreads);
}

// Returns the tiles of a group: a power of two, so that few kernels serve many matrices.
static int64_t tunedTiles(int64_t sigma, double ofLane) {
  if (ofLane > kMostAtOnce)
    return static_cast<int64_t>(
        std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, kOfManyWaves / sigma))));
  int64_t tiles = 1;
  while (static_cast<double>(sigma * tiles) < ofLane && tiles < kMaxCsr5Tiles)
    tiles *= 2;
  return tiles;
}

// The paper takes sigma near the mean row length, so that a lane has about one row, and 4 for very
// long rows. Here it is a batch of loads, or kWideSigma where all blocks then run at once with
// fewer entries a lane; and if the lanes have less than a third of a batch, it is the least one.
// Within L2, products take 0.92 times as long as by the multiple of the mean that is nearest to 16,
// and 0.97 times beyond it (tests/bench/README.md, "The tile size of CSR5").
static int64_t tunedSigma(const SparsityProfile &p, double ofLane) {
  const double mean = static_cast<double>(p.nnz) /
                      static_cast<double>(std::max<int64_t>(1, p.rows - csr5EmptyRows(p)));
  if (ofLane < kBatchSigma / 3.0)
    return kLeastSigma;
  const bool isWideLess =
      kWideSigma * tunedTiles(kWideSigma, ofLane) < kBatchSigma * tunedTiles(kBatchSigma, ofLane);
  return ofLane <= kMostAtOnce && mean >= kShortRows && isWideLess ? kWideSigma : kBatchSigma;
}

// The general kernels serve every number of tiles. (Those that also served matrices with and
// without empty rows took up to 1.07 times as long on an H200.)
static Plan general(const Plan &plan) { return plan.with(key::kCsr5Tiles, kAsArgument); }
constexpr PlanPattern kStandard[] = {
    {"csr5 csr5.omega=32 csr5.sigma={4,8,12} csr5.tiles=-1 block=256 empty={0,1}"}};

static Plan planFor(const PlanRequest &in, int64_t omega, int64_t sigma) {
  const SparsityProfile &p = in.profile;
  const int64_t tiles = ceilDiv(p.nnz, omega * sigma);
  Plan plan{.format = "csr5",
            .integers = {{key::kCsr5Omega, omega},
                         {key::kCsr5Sigma, sigma},
                         {key::kCsr5Tiles,
                          fixedOr(in.fixed, key::kCsr5Tiles, tunedTiles(sigma, entriesOfLane(in)))},
                         {key::kBlock, kBlockThreads},
                         {key::kCsr5Empty, csr5EmptyRows(p) > 0}}};
  addIndexTypes(plan, p.rows, p.cols, tiles * omega * sigma);
  return plan;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t sigma =
      fixedOr(in.fixed, key::kCsr5Sigma, tunedSigma(in.profile, entriesOfLane(in)));
  out.push_back(planFor(in, fixedOr(in.fixed, key::kCsr5Omega, kOmega), sigma));
  return "";
}

// --- Hot columns

// Blocks of this many threads, one for an SM, which all read x of the hot columns from its shared
// memory.
constexpr int64_t kHotBlock = 1024;

// One batch of loads a tile: with 16 and more, products of a graph took 1.1 to 1.4 times as long
// (measured on an H100).
constexpr int64_t kHotSigma = 8;
// A tile of fewer entries a lane is mostly bookkeeping.
constexpr int64_t kLeastHotSigma = 4;

// One wave of blocks takes all entries, each lane equally many.
static Plan hotPlanFor(const PlanRequest &in, int64_t hot) {
  const SparsityProfile &p = in.profile;
  const int64_t omega = fixedOr(in.fixed, key::kCsr5Omega, kOmega);
  const int64_t block = fixedOr(in.fixed, key::kBlock, std::min(kHotBlock, 32 * omega));
  const int64_t ofLane = std::max<int64_t>(1, ceilDiv(p.nnz, in.gpu.sms * block));
  const int64_t tiles = std::clamp<int64_t>(ceilDiv(ofLane, kHotSigma), 1, kMaxCsr5Tiles);
  const int64_t sigma = std::clamp(ceilDiv(ofLane, tiles), kLeastHotSigma, kMaxCsr5Sigma);
  Plan plan = planFor(in, omega, fixedOr(in.fixed, key::kCsr5Sigma, sigma));
  plan.format = "csr5-hot";
  plan.set(key::kBlock, block);
  plan.set(key::kCsr5Tiles, fixedOr(in.fixed, key::kCsr5Tiles, tiles));
  plan.integers.insert(plan.integers.begin() + 4, {key::kCsr5Hot, hot});
  return plan;
}

// The columns whose x a block has room for.
static int64_t mostHot(const PlanRequest &in) {
  const int64_t v = vectorValueBytes(in.problem);
  return std::min(kMaxHotBytes,
                  in.gpu.sharedBytesPerBlock - csr5StaticBytes(hotPlanFor(in, 1), v)) /
         v;
}

static std::string offerHot(const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t most = std::min(in.profile.cols, mostHot(in));
  if (in.profile.cols == 0)
    return "the matrix has no columns";
  if (in.profile.cols > kMaxHotCols)
    return llvm::formatv("columns are numbered by 32 bits, at most {0}; the matrix has {1}",
                         kMaxHotCols, in.profile.cols);
  if (in.profile.nnz > kMaxSlots)
    return llvm::formatv("csr5-hot has at most {0} slots; the matrix has {1} entries", kMaxSlots,
                         in.profile.nnz);
  if (most <= 0)
    return llvm::formatv(
        "a block needs {0} bytes of shared memory beside x of hot columns; a block "
        "of {1} has {2}",
        csr5StaticBytes(hotPlanFor(in, 1), vectorValueBytes(in.problem)), in.gpu.name,
        in.gpu.sharedBytesPerBlock);
  const int64_t hot = fixedOr(in.fixed, key::kCsr5Hot, most);
  if (hot > most)
    return llvm::formatv("csr5.hot is {0}; the columns of the matrix and the shared memory of a "
                         "block of {1} allow at most {2}",
                         hot, in.gpu.name, most);
  out.push_back(hotPlanFor(in, hot));
  // Half as many leave more of L1 to the other columns: web:rows=2000000,avg=12,near=0.2 then took
  // 109 us instead of 119, and rmat:scale=20,edge=16 108 instead of 99 (measured on an H100, f32).
  if (!isFixed(in.fixed, key::kCsr5Hot) && most > 1 && most < in.profile.cols)
    out.push_back(hotPlanFor(in, most / 2));
  return "";
}

static Plan generalHot(const Plan &plan) { return general(plan).with(key::kCsr5Hot, kAsArgument); }
constexpr PlanPattern kHotStandard[] = {
    {"csr5-hot csr5.omega=32 csr5.sigma={4..8} csr5.tiles=-1 csr5.hot=-1 block=1024 "
     "empty={0,1}"}};

static Kernel hotKernelOf(const Plan &plan, const Problem &problem) {
  Kernel kernel = mainKernel("csr5Hot", "Csr5HotArgs", plan, problem, csr5HotFields(plan, problem));
  kernel.name = "specmv_hot_x";
  kernel.onY = OnY::nothing;
  return kernel;
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const Csr5Shape shape(plan, 0);
  Kernel kernel = mainKernel("csr5", "Csr5Args", plan, problem, csr5Fields(plan, problem, shape));
  kernel.types.push_back(csr5FlagType(shape.sigma));
  kernel.blocksPerSm = shape.hot != 0 ? 1 : kCsr5BusyThreads / shape.block;
  kernel.leavesL1 = shape.hot == 0;
  return kernel;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  PlanConstant constant{kPlanName,
                        "Csr5Plan",
                        {{"blockThreads", plan.get(key::kBlock)},
                         {"omega", plan.get(key::kCsr5Omega)},
                         {"sigma", plan.get(key::kCsr5Sigma)},
                         {"tilesPerGroup", plan.get(key::kCsr5Tiles)},
                         {"hasEmptyRows", plan.get(key::kCsr5Empty)},
                         {"readsY", problem.betaCanBeNonZero}}};
  std::vector<Kernel> kernels = {kernelOf(plan, problem)};
  if (const int64_t hot = plan.get(key::kCsr5Hot, 0)) {
    constant.fields.emplace_back("hotColumns", hot);
    kernels.push_back(hotKernelOf(plan, problem));
  }
  return emit(plan, problem, {"csr5.cuh"}, {constant}, kernels);
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Csr5Shape shape(plan, 0);
  shape.tiles = layout.integer("tileCount");
  shape.groupTiles = layout.integer(kCsr5GroupTiles);
  const int64_t forEmpty = ceilDiv(layout.integer("emptyRows"), plan.get(key::kBlock));
  const int64_t blocks = shape.blocks() + forEmpty, hot = layout.integer(kCsr5HotCount);
  Kernel kernel = kernelOf(plan, problem);
  kernel.sharedBytes = hot * vectorValueBytes(problem);
  Steps out = launchOnly(kernel, blocks);
  if (hot > 0 && !out.empty())
    out.insert(out.begin(),
               launchOf(hotKernelOf(plan, problem), ceilDiv(hot, plan.get(key::kBlock))));
  return out;
}

static std::string gist(const Plan &plan) {
  return llvm::formatv("each lane takes {0} entries, however long the rows are",
                       plan.get(key::kCsr5Sigma));
}

static std::string hotGist(const Plan &plan) {
  return llvm::formatv("{0}, and x of the {1} columns with the most entries is in shared memory",
                       gist(plan), plan.get(key::kCsr5Hot));
}

const Format kCsr5{.name = "csr5",
                   .parameters = kCsr5Parameters,
                   .offer = offer,
                   .traffic = csr5Traffic,
                   .pack = csr5Layout,
                   .source = source,
                   .steps = steps,
                   .gist = gist,
                   .general = general,
                   .rates = kCsr5Rates,
                   .paces = kCsr5Paces,
                   .standard = kStandard,
                   .fuses = Fuses::rowsAndX,
                   .packing = &kCsr5Packing};

const Format kCsr5Hot{.name = "csr5-hot",
                      .parameters = kCsr5HotParameters,
                      .offer = offerHot,
                      .traffic = csr5Traffic,
                      .pack = csr5Layout,
                      .source = source,
                      .steps = steps,
                      .gist = hotGist,
                      .general = generalHot,
                      .rates = kCsr5HotRates,
                      .paces = kCsr5HotPaces,
                      .standard = kHotStandard,
                      .asksColumns = asksForHotColumns,
                      .packing = &kCsr5Packing};

} // namespace specmv
