// CSR5 on the host (Liu and Vinter 2015): its plans, source and launch. layout.cpp packs.
#include "generator/formats.h"
#include "generator/formats/csr5/layout.h"
#include "generator/formats/csr5/packing.h"
#include "generator/shared/gathers.h"
#include "generator/shared/open_rows.h"
#include "generator/shared/padded.h"
#include "generator/shared/walk.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cmath>

namespace specmv {

// Lanes of a tile: the warp's width, as in the paper.
constexpr int64_t kOmega = 32;

static int64_t emptyRowsOf(const SparsityProfile &p) {
  return p.lengths.empty() || p.lengths.front().length > 0 ? 0 : p.lengths.front().rows;
}

// The least sigma. It is used for rows of more than kVeryLong entries (both numbers are the
// paper's), in which neighbouring lanes read x sigma entries apart. It is also used if a matrix has
// so few tiles that SMs would be idle.
constexpr int64_t kLeastSigma = 4, kVeryLong = 256;

// The paper takes sigma near the mean row length, up to a limit, so that a lane has about one row
// and neighbouring lanes read columns of neighbouring rows. Here it is the multiple of the mean
// that is nearest to 16, since two batches of loads cover more latency than one. It is at most six
// rows a lane, so that the sums of a tile rarely fill shared memory twice.
static int64_t tunedSigma(const SparsityProfile &p) {
  const int64_t rows = std::max<int64_t>(1, p.rows - emptyRowsOf(p));
  const int64_t mean = std::max<int64_t>(1, (p.nnz + rows / 2) / rows);
  if (mean > kVeryLong)
    return kLeastSigma;
  const int64_t rowsPerLane = std::clamp<int64_t>((16 + mean / 2) / mean, 1, 6);
  return std::min(mean * rowsPerLane, kMaxCsr5Sigma);
}

// Threads of an SM that are enough to keep memory busy; each has 64 registers.
constexpr int64_t kBusyThreads = 1024;

// Tiles of a group. A group has several tiles if the matrix fills the GPU many times, since they
// share the cost of starting and ending a block. It is about 2 us (an estimate: two accesses to
// memory and one exchange in L2).
static int64_t groupTilesFor(const PlanRequest &in, int64_t tiles, int64_t omega) {
  constexpr uint64_t waves = 4, most = 4;
  const uint64_t filled = tiles * omega / (waves * in.gpu.sms * kBusyThreads);
  const uint64_t tuned = std::bit_floor(std::clamp<uint64_t>(filled, 1, most));
  return fixedOr(in.fixed, key::kCsr5Tiles, static_cast<int64_t>(tuned));
}

// Estimates the number of rows that end in tiles where they are not consecutive. It assumes that
// empty rows are spread at random.
static int64_t gapsOf(const SparsityProfile &p, int64_t tiles) {
  const auto empty = static_cast<double>(emptyRowsOf(p)), rows = static_cast<double>(p.rows);
  if (empty == 0 || tiles == 0)
    return 0;
  const double consecutive = std::pow(1 - empty / rows, rows / static_cast<double>(tiles));
  return static_cast<int64_t>((rows - empty) * (1 - consecutive));
}

constexpr PaceRates kPace("csr5");
constexpr const PaceRates *kPaces[] = {&kPace};
constexpr Rate kTilePasses{"csr5.tilePasses",
                           "passes of CSR-vector's loop that a tile costs besides its batches, for "
                           "its segmented sum and the rows that it stores",
                           1, kNoFit};
constexpr Rate kBlockPasses{
    "csr5.blockPasses", "passes of CSR-vector's loop that the barrier of a block costs", 4, kNoFit};
constexpr Rate kAgain{"csr5.again",
                      "time of reading a tile again, in multiples of the time of the first reading",
                      1.7};
constexpr Rate kGapNs{
    "csr5.gapNs",
    "nanoseconds of a row that ends in a tile with empty rows between others, if all SMs work",
    0.0028, kWideFit};
constexpr Rate kCautionWide{
    "csr5.cautionWide",
    "further factor on the predicted time, where plans are compared, for the largest sigma", 1.07,
    kCautionFit};
constexpr Rate kRates[] = {kTilePasses, kBlockPasses, kAgain, kGapNs, kCautionWide};
constexpr PlanPattern kStandard[] = {
    {"csr5 csr5.omega=32 csr5.sigma={4,12,14..16,18,20,24,28,32} csr5.tiles=1 block=256 empty=0"},
    {"csr5 csr5.omega=32 csr5.sigma={16,24,32} csr5.tiles=1 block=256 empty=1"}};

// The average number of times that an entry is read. If more rows end in a tile than fit shared
// memory, the tile is read again (templates/csr5.cuh). The estimate assumes rows in random order:
// in a tile whose longest row has l.length entries, the other rows have the mean length of the
// shorter rows.
static double passesOfTiles(const SparsityProfile &p, const Csr5Shape &shape, const Rates &rates) {
  constexpr double kLogistic = 1.7; // approximates a normal distribution
  const auto tile = static_cast<double>(shape.tileEntries()), nnz = static_cast<double>(p.nnz);
  const auto held = static_cast<double>(std::min<int64_t>(kCsr5Batch, shape.sigma) * shape.omega);
  if (held >= tile)
    return 1;
  const auto notEmpty = static_cast<double>(p.rows - emptyRowsOf(p));
  double rows = 0, entries = 0, squares = 0, shareBefore = 0, again = 0;
  for (const LengthCount &l : p.lengths) {
    if (l.length == 0)
      continue;
    const auto length = static_cast<double>(l.length), count = static_cast<double>(l.rows);
    rows += count;
    entries += count * length;
    squares += count * length * length;
    const double mean = entries / rows, ends = 1 + std::max(0.0, tile - length) / mean;
    if (tile / mean < held / 2) // with longer rows even fewer rows end in a tile
      break;
    // The mean number of longer rows in a tile.
    const double longer = ((notEmpty - rows) * tile + nnz - entries) / nnz;
    const double share = std::exp(-longer), variance = std::max(0.0, squares / rows - mean * mean);
    const double deviation = std::sqrt(variance * ends) / mean + 0.25;
    for (double more = held; more < tile; more += held)
      again += (share - shareBefore) / (1 + std::exp(kLogistic * (more + 0.5 - ends) / deviation));
    shareBefore = share;
  }
  return 1 + rates[kAgain] * again;
}

// The lanes of a warp are sigma entries apart: in one row, if rows are long, else in several.
static Walk csr5WalkOf(const SparsityProfile &p, const Csr5Shape &shape, const Rates &rates,
                       double v) {
  constexpr double kBlocksPerSm = 4;
  constexpr int64_t kWarps = kBlockThreads / 32;
  const auto sigma = static_cast<double>(shape.sigma), nnz = static_cast<double>(p.nnz);
  double squares = 0;
  for (const LengthCount &l : p.lengths)
    squares +=
        static_cast<double>(l.rows) * static_cast<double>(l.length) * static_cast<double>(l.length);
  const double rowOfEntry = nnz > 0 ? squares / nnz : 0; // the mean length of the row of an entry
  const bool isApart = rowOfEntry > sigma;
  const double held = 32 * std::min<double>(kCsr5Batch, sigma) * v;
  return {.pace = kPace,
          .blockRows = static_cast<double>(shape.blockTiles() * shape.tileEntries()) *
                       static_cast<double>(p.rows) / std::max(1.0, nnz),
          .blocksPerSm = kBlocksPerSm,
          .sharedBytesPerSm = kBlocksPerSm * (static_cast<double>(kWarps) * held + 1024),
          .rowsAtOnce = isApart ? 32 / std::clamp(rowOfEntry / sigma, 1.0, 32.0) : 32,
          .apart = isApart ? std::min(sigma, rowOfEntry) : 1,
          .scattersY = true,
          .passes = passesOfTiles(p, shape, rates)};
}

static Traffic traffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const Rates &rates = in.gpu.rates;
  Csr5Shape shape(plan, p.nnz);
  shape.emptyRows = emptyRowsOf(p);
  shape.gaps = shape.emptyRows > 0 ? gapsOf(p, shape.tiles) : 0;
  const int64_t passes =
      paddedPasses(shape.sigma, rates[kPassesPerBatch]) + static_cast<int64_t>(rates[kTilePasses]);
  Traffic t;
  t.storedBytes = storedBytesOf(csr5Fields(plan, in.problem, shape));
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = shape.blocks() * shape.block + shape.emptyRows;
  t.threadsPerSm = kBusyThreads;
  t.steps = shape.tiles * shape.omega * passes;
  t.longestChain = std::min(shape.groupTiles, shape.tiles) * passes +
                   static_cast<int64_t>(rates[kBlockPasses]) +
                   openRowChain(longestRow(p), shape.blockTiles() * shape.tileEntries(), in.gpu);
  if (shape.emptyRows > 0) // if they are between other rows, their places are read
    t.workUs += rowsNotEmpty(p) * rates[kGapNs] / 1000;
  const bool isWide = shape.sigma == kMaxCsr5Sigma;
  t.caution = isWide ? rates[kCautionWide] : 1;
  const auto v = static_cast<double>(sizeOf(vectorTypeOf(in.problem)));
  addWalk(t, in, csr5WalkOf(p, shape, rates, v));
  return t;
}

static Plan planFor(const PlanRequest &in, int64_t omega, int64_t sigma) {
  const SparsityProfile &p = in.profile;
  const int64_t tiles = ceilDiv(p.nnz, omega * sigma);
  Plan plan{.format = "csr5",
            .integers = {{key::kCsr5Omega, omega},
                         {key::kCsr5Sigma, sigma},
                         {key::kCsr5Tiles, groupTilesFor(in, tiles, omega)},
                         {key::kBlock, kBlockThreads},
                         {key::kCsr5Empty, emptyRowsOf(p) > 0}}};
  addIndexTypes(plan, p.rows, p.cols, tiles * omega * sigma);
  return plan;
}

static std::string offer(const PlanRequest &in, std::vector<Plan> &out) {
  const int64_t omega = fixedOr(in.fixed, key::kCsr5Omega, kOmega);
  const int64_t tuned = tunedSigma(in.profile);
  const int64_t sigma = fixedOr(in.fixed, key::kCsr5Sigma, tuned);
  out.push_back(planFor(in, omega, sigma));
  // The least sigma is offered too if there are few tiles, and if rows are long: the columns then
  // decide which sigma is faster.
  const bool isFew = in.profile.nnz < tuned * in.gpu.sms * kBusyThreads;
  const bool isWorthLeast = tuned > kLeastSigma && (isFew || tuned == kMaxCsr5Sigma);
  if (!isFixed(in.fixed, key::kCsr5Sigma) && isWorthLeast)
    out.push_back(planFor(in, omega, kLeastSigma));
  return "";
}

static Kernel kernelOf(const Plan &plan, const Problem &problem) {
  const Csr5Shape shape(plan, 0);
  Kernel kernel = mainKernel("csr5", "Csr5Args", plan, problem, csr5Fields(plan, problem, shape));
  kernel.types.push_back(csr5FlagType(shape.sigma));
  kernel.blocksPerSm = kBusyThreads / shape.block;
  return kernel;
}

static KernelSource source(const Plan &plan, const Problem &problem) {
  const PlanConstant constant{kPlanName,
                              "Csr5Plan",
                              {{"blockThreads", plan.get(key::kBlock)},
                               {"omega", plan.get(key::kCsr5Omega)},
                               {"sigma", plan.get(key::kCsr5Sigma)},
                               {"tilesPerGroup", plan.get(key::kCsr5Tiles)},
                               {"hasEmptyRows", plan.get(key::kCsr5Empty)},
                               {"readsY", problem.betaCanBeNonZero}}};
  return emit(plan, problem, {"csr5.cuh"}, {constant}, {kernelOf(plan, problem)});
}

static Steps steps(const Plan &plan, const Problem &problem, const Layout &layout) {
  Csr5Shape shape(plan, 0);
  shape.tiles = layout.integer("tileCount");
  const int64_t forEmpty = ceilDiv(layout.integer("emptyRows"), plan.get(key::kBlock));
  const int64_t blocks = shape.blocks() + forEmpty;
  return launchOnly(kernelOf(plan, problem), blocks);
}

static std::string gist(const Plan &plan) {
  return llvm::formatv("each lane takes {0} entries, however long the rows are",
                       plan.get(key::kCsr5Sigma));
}

const Format kCsr5{.name = "csr5",
                   .parameters = kCsr5Parameters,
                   .offer = offer,
                   .traffic = traffic,
                   .pack = csr5Layout,
                   .source = source,
                   .steps = steps,
                   .gist = gist,
                   .rates = kRates,
                   .paces = kPaces,
                   .standard = kStandard,
                   .fuses = Fuses::rowsAndX,
                   .packing = &kCsr5Packing};

} // namespace specmv
