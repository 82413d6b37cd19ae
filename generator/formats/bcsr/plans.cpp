// The plans of BCSR: the shapes of block that store the fewest bytes by the profile's counts of
// blocks, and their traffic. A full r x c block stores its values and one column of 2 or 4 bytes,
// and reads c values of x. CSR stores a column and reads a value of x for each of the r c entries.
#include "generator/formats/bcsr/layout.h"

#include "generator/coding/coding.h"
#include "generator/shared/gathers.h"
#include "generator/shared/reuse.h"
#include "generator/shared/walk.h"
#include "templates/shared/constants.cuh"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace specmv {

namespace {
// The blocks of one shape, estimated from the profile.
struct BlockShape {
  int64_t r, c;
  double blocks; // blocks that have an entry
  double bytes;  // bytes of values, columns and masks for each entry
  bool full;     // in the sample
};
} // namespace

// Whether 16 bits are enough for the distance of every block's column from the diagonal. The
// bandwidth is a bound of it, plus a block on either side for rounding.
static bool isLocal(const SparsityProfile &p, int64_t r, int64_t c) {
  constexpr int64_t kFar = (1 << 15) * kMaxBcsrSide; // no sum overflows below
  return p.bandwidth < kFar && (p.bandwidth + r) / c + 2 < 1 << 15;
}

static Plan planOf(const SparsityProfile &p, int64_t r, int64_t c, int64_t lanes, bool full) {
  Plan plan{.format = "bcsr",
            .integers = {{key::kBcsrR, r},
                         {key::kBcsrC, c},
                         {key::kBcsrLanes, lanes},
                         {key::kBcsrFull, full},
                         {key::kBcsrLocal, isLocal(p, r, c)},
                         {key::kBlock, kBlockThreads}}};
  // Offsets count steps, and 32 bits are enough for the steps of kMaxSlots slots.
  addIndexTypes(plan, p.rows, p.cols, 0);
  return plan;
}

// The bytes that the coding of the values stores for a slot, on average over many.
static double bytesPerSlot(const PlanRequest &in) {
  constexpr int64_t kMany = 1 << 12;
  return static_cast<double>(bytesOfValues(in.values, in.problem.type, kMany)) / kMany;
}

// The bytes stored for each block: its elements of the arrays of bcsrFields(). It needs no plan,
// since many shapes are compared.
static double bytesPerBlock(const PlanRequest &in, int64_t r, int64_t c, bool full,
                            double perSlot) {
  const ElementType column =
      bcsrLocalType(isLocal(in.profile, r, c), columnTypeFor(in.profile.cols));
  return static_cast<double>(r * c) * perSlot +
         static_cast<double>(sizeOf(column) + (full ? 0 : sizeOf(bcsrMaskType(r, c))));
}

// Returns how many times the number of full blocks a sample may count: a group of 24 rows has 3 or
// 4 first rows of 7 and is off by a seventh, the mean of many groups by less.
static double mostCutBlocks(const BlockFill &fill) {
  const double groups = static_cast<double>(fill.sampledRows) / static_cast<double>(kSampledRows);
  return 1 + std::min(0.2, 0.45 / std::sqrt(std::max(1.0, groups)));
}

// Whether all sampled blocks are full. The borders of sampled groups cut blocks of 5 and of 7 rows,
// so their counts are not exact. For these it is enough that all blocks of one row are full, and
// that there are about as few blocks as entries allow; bcsrLayout() checks all blocks.
static bool mayBeFull(const SparsityProfile &p, int64_t r, int64_t c) {
  const BlockFill &fill = p.blockFill;
  const bool isCut = kSampledRows % r != 0 && fill.sampledRows < p.rows;
  const int64_t seen = isCut ? 1 : r;
  return fill.sampledEntries > 0 &&
         fill.blocks[seen - 1][c - 1] * seen * c == fill.sampledEntries &&
         blocksPerEntry(p, r, c) * static_cast<double>(r * c) < mostCutBlocks(fill);
}

static BlockShape shapeOf(const PlanRequest &in, int64_t r, int64_t c, double perSlot) {
  const bool full = mayBeFull(in.profile, r, c);
  const double perEntry = blocksPerEntry(in.profile, r, c);
  return {r, c, perEntry * static_cast<double>(in.profile.nnz),
          perEntry * bytesPerBlock(in, r, c, full, perSlot), full};
}

// A second shape is offered if it stores at most this much more than the best.
constexpr double kNearlyBest = 1.05;
// If no side is fixed, a plan may store this much more than CSR, since it reads x less often.
constexpr double kMaxOverCsr = 1.1;

// All shapes that agree with the fixed sides, by ascending bytes; 1 x 1 only if a side is fixed.
static std::vector<BlockShape> shapesOf(const PlanRequest &in) {
  const int64_t fixedR = fixedOr(in.fixed, key::kBcsrR, 0),
                fixedC = fixedOr(in.fixed, key::kBcsrC, 0);
  const double perSlot = bytesPerSlot(in);
  std::vector<BlockShape> shapes;
  for (int64_t r = 1; r <= kMaxBcsrSide; ++r)
    for (int64_t c = 1; c <= kMaxBcsrSide; ++c)
      if ((!fixedR || r == fixedR) && (!fixedC || c == fixedC) && (r * c > 1 || fixedR || fixedC))
        shapes.push_back(shapeOf(in, r, c, perSlot));
  llvm::stable_sort(shapes,
                    [](const BlockShape &a, const BlockShape &b) { return a.bytes < b.bytes; });
  return shapes;
}

// The mean length of the longest row of slices of `rows` rows, or of the next larger slices that
// the profile counts.
static double meanLongest(const SparsityProfile &p, int64_t rows) {
  double mean = static_cast<double>(p.nnz) / static_cast<double>(std::max<int64_t>(1, p.rows));
  for (const SliceCount &s : p.slices)
    if (s.window == 1 && rows > 1) {
      const int64_t places = std::max<int64_t>(1, roundUp(p.rows, s.slice));
      mean = static_cast<double>(s.padded) / static_cast<double>(places);
      if (s.slice >= rows)
        break;
    }
  return mean;
}

// Steps of all slices. It assumes that the lengths of block rows vary as much as those of rows.
static int64_t stepsOf(const SparsityProfile &p, const BlockShape &shape, int64_t lanes,
                       int64_t slices) {
  const double blockRows = static_cast<double>(std::max<int64_t>(1, ceilDiv(p.rows, shape.r)));
  const double shortest = meanLongest(p, shape.r);
  const double padding =
      shortest > 0 ? meanLongest(p, bcsrSliceRows(lanes) * shape.r) / shortest : 1;
  // The last step of a slice of several lanes a row is half empty.
  const double perSlice =
      shape.blocks / blockRows * std::max(1.0, padding) / static_cast<double>(lanes) +
      (lanes > 1 ? 0.5 : 0);
  return std::max(static_cast<int64_t>(std::llround(perSlice * static_cast<double>(slices))),
                  std::min(slices, static_cast<int64_t>(shape.blocks)));
}

static int64_t passesOf(const BlockShape &shape, int64_t blocks, double valuesPerPass) {
  const double values = std::max(static_cast<double>(shape.r * shape.c), valuesPerPass);
  return static_cast<int64_t>(std::ceil(static_cast<double>(blocks) * values / valuesPerPass));
}

static BcsrCounts countsOf(const SparsityProfile &p, const BlockShape &shape, int64_t lanes) {
  const int64_t slices = ceilDiv(ceilDiv(p.rows, shape.r), bcsrSliceRows(lanes));
  return {p.rows, slices, stepsOf(p, shape, lanes, slices)};
}

static bool hasFixedSide(const Fixed &fixed) {
  return isFixed(fixed, key::kBcsrR) || isFixed(fixed, key::kBcsrC);
}

// One lane for each block row. If block rows are few or long, also more lanes, up to the mean
// number of blocks of a block row.
static std::vector<int64_t> lanesOf(const PlanRequest &in, const BlockShape &shape) {
  if (isFixed(in.fixed, key::kBcsrLanes))
    return {fixedOr(in.fixed, key::kBcsrLanes, 1)};
  const double mean =
      shape.blocks / static_cast<double>(std::max<int64_t>(1, ceilDiv(in.profile.rows, shape.r)));
  std::vector<int64_t> lanes = {1};
  for (int64_t more : {4, 16, 32})
    if (static_cast<double>(more) <= mean)
      lanes.push_back(more);
  return lanes;
}

// The bytes of CSR with values in the same coding.
static int64_t csrBytesOf(const PlanRequest &in) {
  const SparsityProfile &p = in.profile;
  return bytesOfValues(in.values, in.problem.type, p.nnz) + p.nnz * 4 + (p.rows + 1) * 4;
}

// Whether a plan stores too many bytes to be offered if no side is fixed.
static bool isTooMuch(const PlanRequest &in, int64_t storedBytes) {
  return static_cast<double>(storedBytes) > kMaxOverCsr * static_cast<double>(csrBytesOf(in));
}

static std::string whyTooMuch(const PlanRequest &in, const BlockShape &shape, int64_t storedBytes) {
  const SparsityProfile &p = in.profile;
  const double places = shape.blocks * static_cast<double>(shape.r * shape.c);
  return llvm::formatv(
      "bcsr with its best blocks, {0} x {1} and full to {2:f2}, would store {3} bytes; the limit "
      "is {4:f2} times the {5} of CSR, unless bcsr.r or bcsr.c is set",
      shape.r, shape.c, static_cast<double>(p.nnz) / std::max(1.0, places), storedBytes,
      kMaxOverCsr, csrBytesOf(in));
}

// Adds the plans of a shape with this many lanes. If there are none, sets `why` to the reason,
// unless it has one already. If all sampled blocks are full, but not all blocks were sampled, adds
// a plan with masks as a second choice.
static void addBcsrPlans(const PlanRequest &in, const BlockShape &shape, int64_t lanes,
                         std::vector<Plan> &out, std::string &why) {
  const SparsityProfile &p = in.profile;
  const BcsrCounts counts = countsOf(p, shape, lanes);
  if (std::string reason =
          whyNotBcsr(shape.r, shape.c, counts.steps, counts.slices, p.nnz, kMaxBcsrPadding);
      !reason.empty()) {
    if (why.empty())
      why = std::move(reason);
    return;
  }
  const bool isSampled = p.blockFill.sampledEntries < p.nnz;
  for (bool full : {true, false}) {
    if (full ? !shape.full : shape.full && !isSampled)
      continue;
    Plan plan = planOf(p, shape.r, shape.c, lanes, full);
    plan.values = in.values;
    const int64_t bytes = storedBytesOf(bcsrFields(plan, in.problem, counts));
    if (hasFixedSide(in.fixed) || !isTooMuch(in, bytes))
      out.push_back(std::move(plan));
    else if (why.empty())
      why = whyTooMuch(in, shape, bytes);
  }
}

static int64_t batchOf(ValueType type) {
  return type == ValueType::f32 ? kBcsrBatchF32 : kBcsrBatchF64;
}

// Values of a piece: templates/bcsr.cuh cuts blocks into pieces of some columns.
static int64_t valuesOfPiece(const BlockShape &shape, ValueType type) {
  int64_t columns = shape.c;
  while (columns > 1 && (shape.c % columns != 0 || shape.r * columns > batchOf(type)))
    --columns;
  return shape.r * columns;
}

// Values that a lane loads together.
static int64_t valuesInFlight(const BlockShape &shape, ValueType type) {
  const int64_t batch = batchOf(type), piece = valuesOfPiece(shape, type);
  return piece * std::clamp<int64_t>(batch / piece, 1, kBcsrMostPieces);
}

// The share of the memory rate that the loads in flight reach. Full rate needs as many bytes in
// flight as memory delivers in the time of a load. L2 delivers more in a time, but its loads take
// less.
static double shareInFlight(const PlanRequest &in, const BlockShape &shape, int64_t threads,
                            double usedBytes) {
  const bool isF32 = vectorTypeOf(in.problem) == ValueType::f32;
  const double resident = isF32 ? 1024 : 768;
  if (threads == 0)
    return 1;
  const double perSm = static_cast<double>(threads) / static_cast<double>(in.gpu.sms);
  const double bytes = static_cast<double>(valuesInFlight(shape, vectorTypeOf(in.problem))) *
                       static_cast<double>(sizeOf(in.problem.type)) * std::min(resident, perSm);
  constexpr double kOfEnough = 1.3;
  const double ofL2 = in.gpu.l2GBs / in.gpu.dramGBs / in.gpu.dramDelay,
               beyond = shareBeyondL2(usedBytes, in.gpu);
  const double enough = in.gpu.rates[kBcsrFlight[isF32 ? 0 : 1]] * (ofL2 + (1 - ofL2) * beyond);
  return kOfEnough * bytes / std::hypot(bytes, enough);
}

Traffic bcsrTraffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const int64_t lanes = plan.get(key::kBcsrLanes);
  const BlockShape shape =
      shapeOf(in, plan.get(key::kBcsrR), plan.get(key::kBcsrC), bytesPerSlot(in));
  const BcsrCounts counts = countsOf(p, shape, lanes);
  const double valuesPerPass = in.gpu.rates[kBcsrValuesPerPass];
  Traffic t;
  t.storedBytes = storedBytesOf(bcsrFields(plan, in.problem, counts));
  t.slots = counts.steps * 32 * shape.r * shape.c;
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = counts.slices * 32;
  t.dependentLoads = 1; // the start of the slice
  t.steps = passesOf(shape, counts.steps * 32, valuesPerPass);
  // The blocks of the longest row, if its blocks are as full as the average.
  const double fill = static_cast<double>(p.nnz) / std::max(1.0, shape.blocks);
  const double longest = static_cast<double>(longestRow(p) * shape.r) / std::max(1.0, fill);
  t.longestChain = passesOf(shape, ceilDiv(static_cast<int64_t>(longest), lanes), valuesPerPass);
  t.pace.efficiency = shareInFlight(in, shape, t.threads, static_cast<double>(t.storedBytes));
  const double pieces = static_cast<double>(t.slots) /
                        static_cast<double>(valuesOfPiece(shape, vectorTypeOf(in.problem)));
  t.workUs += pieces * in.gpu.rates[kBcsrPieceNs] / 1000;
  const int64_t blockRows = kBlockThreads / lanes * shape.r,
                warpRows = bcsrSliceRows(lanes) * shape.r;
  addWalk(t, in,
          {.pace = kBcsrPace,
           .blockRows = static_cast<double>(blockRows),
           .blocksPerSm = 4,
           .rowsAtOnce = static_cast<double>(warpRows),
           .apart = 1 / static_cast<double>(shape.r)});
  return t;
}

std::string bcsrOffer(const PlanRequest &in, std::vector<Plan> &out) {
  std::vector<BlockShape> shapes = shapesOf(in);
  const bool hasSecond =
      !hasFixedSide(in.fixed) && shapes[1].bytes <= kNearlyBest * shapes[0].bytes;
  shapes.resize(hasSecond ? 2 : 1);
  std::string why;
  for (const BlockShape &shape : shapes)
    for (int64_t lanes : lanesOf(in, shape))
      addBcsrPlans(in, shape, lanes, out, why);
  return out.empty() ? why : "";
}

} // namespace specmv
