// The traffic of BCSR's plans.
#include "generator/formats/bcsr/shapes.h"

#include "generator/coding/coding.h"
#include "generator/shared/gathers.h"
#include "generator/shared/walk.h"
#include "templates/pack/block_sizes.cuh"
#include "templates/shared/constants.cuh"

#include <algorithm>
#include <cmath>

namespace specmv {

static int64_t passesOfValues(const BlockShape &shape, int64_t blocks, double valuesPerPass) {
  const double values = std::max(static_cast<double>(shape.r * shape.c), valuesPerPass);
  return static_cast<int64_t>(std::ceil(static_cast<double>(blocks) * values / valuesPerPass));
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

static bool hasCodes(const Plan &plan) { return codingOf(plan).mostBlocks > 0; }

static int64_t piecesOfBlock(const BlockShape &shape, ValueType type) {
  return shape.r * shape.c / valuesOfPiece(shape, type);
}

// The bytes that a lane loads together from afar: values, or what blocks have beside a table.
static double bytesInFlight(const PlanRequest &in, const Plan &plan, const BlockShape &shape) {
  const ValueType type = vectorTypeOf(in.problem);
  if (hasCodes(plan)) {
    const size_t ofBlock = sizeOf(bcsrLocalType(plan)) + sizeOf(codingOf(plan).codeType) +
                           (plan.get(key::kBcsrFull) ? 0 : sizeOf(bcsrMaskType(shape.r, shape.c)));
    return static_cast<double>(kBcsrMostPieces * static_cast<int64_t>(ofBlock)) /
           static_cast<double>(piecesOfBlock(shape, type));
  }
  const int64_t piece = valuesOfPiece(shape, type);
  return static_cast<double>(piece *
                             std::clamp<int64_t>(batchOf(type) / piece, 1, kBcsrMostPieces) *
                             static_cast<int64_t>(sizeOf(in.problem.type)));
}

// The share of the memory rate that the loads in flight reach. Full rate needs as many bytes in
// flight as memory delivers in the time of a load. L2 delivers more in a time, but its loads take
// less.
static double shareInFlight(const PlanRequest &in, double bytesOfLane, const Traffic &t) {
  const bool isF32 = vectorTypeOf(in.problem) == ValueType::f32;
  const double resident = isF32 ? 1024 : 768;
  if (t.threads == 0)
    return 1;
  const double perSm = static_cast<double>(t.threads) / static_cast<double>(in.gpu.sms);
  const double bytes = bytesOfLane * std::min(resident, perSm);
  constexpr double kOfEnough = 1.3;
  const double ofL2 = in.gpu.l2GBs / in.gpu.dramGBs / in.gpu.dramDelay,
               beyond = shareFromMemory(t, in.gpu);
  const double enough = in.gpu.rates[kBcsrFlight[isF32 ? 0 : 1]] * (ofL2 + (1 - ofL2) * beyond);
  return kOfEnough * bytes / std::hypot(bytes, enough);
}

// A lane waits once for a batch: for the columns and codes of its pieces, if there are codes.
static int64_t passesOf(const PlanRequest &in, const Plan &plan, const BlockShape &shape,
                        int64_t blocks) {
  if (hasCodes(plan))
    return ceilDiv(blocks * piecesOfBlock(shape, vectorTypeOf(in.problem)), kBcsrMostPieces);
  return passesOfValues(shape, blocks, in.gpu.rates[kBcsrValuesPerPass]);
}

// Adds what a table of different blocks costs: its own bytes, of which the arrays have the least,
// and a read of each block.
static void addTable(Traffic &t, const PlanRequest &in, const BlockShape &shape) {
  const auto valueBytes = static_cast<int>(sizeOf(in.problem.type));
  const int bytes = blockStride(static_cast<int>(shape.r * shape.c), valueBytes) * valueBytes;
  const auto more =
      static_cast<int64_t>(std::max(0.0, in.differentBlocks - int{kMostBlocksInByte}));
  t.storedBytes += more * bytes;
  const int64_t blocks = t.slots / (shape.r * shape.c), loads = bytes / kBlockAlignment;
  constexpr double kAlike = 32; // so few different blocks are read together by most lanes
  const double ns =
      in.gpu.rates[kBcsrTableNs] +
      in.gpu.rates[kBcsrTableSpreadNs] * std::log2(std::max(1.0, in.differentBlocks / kAlike));
  t.workUs += static_cast<double>(blocks * loads) * ns / 1000;
}

// The entries of a row beyond twice the mean length are scattered: their blocks are half as full. A
// group that walks such a row when most others are done waits for memory at each block: a pass then
// takes a part of chainNs which bcsr.latency, the pace beside others, does not know. One lane waits
// twice as long, since each value of its block is in another sector, which no other lane reads.
// Chosen for twelve kinds of matrices beyond L2 on an H200, seven of which have such rows (wells,
// rigid couplings, global columns): without this, products took up to 2.2 times the prediction.
constexpr double kFarBlocks = 2, kPassAlone = 0.6, kOfOneLane = 2;

// The blocks of a block row with a row of this length.
static double blocksOfRow(const SparsityProfile &p, const BlockShape &shape, int64_t length) {
  const double fill = std::max(1.0, static_cast<double>(p.nnz) / std::max(1.0, shape.blocks));
  const double mean =
      static_cast<double>(p.nnz) / static_cast<double>(std::max<int64_t>(1, p.rows));
  const double ordinary = std::min(static_cast<double>(length), 2 * mean);
  const double far = kFarBlocks * (static_cast<double>(length) - ordinary);
  return (ordinary + far) * static_cast<double>(shape.r) / fill;
}

// A few long rows still run when all others are done.
static void addLongRows(Traffic &t, const PlanRequest &in, const Plan &plan,
                        const BlockShape &shape) {
  const SparsityProfile &p = in.profile;
  const int64_t lanes = plan.get(key::kBcsrLanes);
  const auto passes = [&](int64_t length) {
    const auto blocks = static_cast<int64_t>(blocksOfRow(p, shape, length));
    return passesOf(in, plan, shape, ceilDiv(blocks, lanes));
  };
  t.longestChain = passes(longestRow(p));
  const double alone = kPassAlone * (lanes == 1 ? kOfOneLane : 1) / std::max(1e-3, t.pace.latency);
  if (t.threads > 0)
    t.longRows = longRowsOf(
        in, [&](int64_t length) { return alone * static_cast<double>(passes(length)); },
        static_cast<double>(t.steps) / static_cast<double>(t.threads));
}

Traffic bcsrTraffic(const PlanRequest &in, const Plan &plan) {
  const SparsityProfile &p = in.profile;
  const int64_t lanes = plan.get(key::kBcsrLanes);
  const BlockShape shape =
      blockShapeOf(in, plan.get(key::kBcsrR), plan.get(key::kBcsrC), bcsrBytesPerSlot(in));
  const BcsrCounts counts = bcsrCountsOf(p, shape, lanes);
  Traffic t;
  t.storedBytes = storedBytesOf(bcsrFields(plan, in.problem, counts));
  t.vectorBytes = bytesOfXAndY(in);
  t.slots = counts.steps * 32 * shape.r * shape.c;
  if (hasCodes(plan))
    addTable(t, in, shape);
  t.streamBytes = t.storedBytes + p.rows * vectorValueBytes(in.problem);
  t.gatherBytes = gatherBytes(in);
  t.threads = counts.slices * 32;
  t.dependentLoads = 1; // the start of the slice
  t.steps = passesOf(in, plan, shape, counts.steps * 32);
  t.pace.efficiency = shareInFlight(in, bytesInFlight(in, plan, shape), t);
  const double pieces = static_cast<double>(t.slots) /
                        static_cast<double>(valuesOfPiece(shape, vectorTypeOf(in.problem)));
  t.workUs += pieces * in.gpu.rates[kBcsrPieceNs] / 1000;
  const int64_t blockRows = kBlockThreads / lanes * shape.r,
                warpRows = bcsrSliceRows(lanes) * shape.r;
  constexpr double kWorkByCodes = 0.2; // beside the reads of the table, fitted as they are
  addWalk(t, in,
          {.pace = kBcsrPace,
           .workOfSlot = hasCodes(plan) ? kWorkByCodes : 1,
           .blockRows = static_cast<double>(blockRows),
           .blocksPerSm = 4,
           .rowsAtOnce = static_cast<double>(warpRows),
           .apart = 1 / static_cast<double>(shape.r)});
  addLongRows(t, in, plan, shape);
  return t;
}

} // namespace specmv
