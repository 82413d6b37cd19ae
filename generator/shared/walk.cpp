// Turns walks into traffic by the rates of their paces.
#include "generator/shared/walk.h"

#include "generator/shared/gathers.h"
#include "generator/shared/kept.h"
#include "models/base/numbers.h"
#include "templates/shared/constants.cuh"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <cmath>

namespace specmv {

static WalkPace readPace(const PlanRequest &in, const PaceRates *rates) {
  WalkPace out;
  for (const auto &[each, rate] : llvm::zip(kPaceRates, rates->all()))
    (each.own ? out.*each.own : out.pace.*each.ofPace) = in.gpu.rates[rate];
  return out;
}

int64_t bytesOfXAndY(const PlanRequest &in) {
  constexpr double kMost = 0x1p40; // no L2 is as large; there may be 2^63 - 1 columns
  const double elements =
      static_cast<double>(in.profile.rows) + static_cast<double>(in.profile.cols);
  return static_cast<int64_t>(
      std::min(kMost, elements * static_cast<double>(vectorValueBytes(in.problem))));
}

double rowsNotEmpty(const SparsityProfile &p) { return xOfRows(p, ValueType::f32).rows; }

// The bytes of L1 that shared memory leaves. Both share one memory, of which gather.l1Bytes are
// three quarters.
static double bytesOfL1(const PlanRequest &in, const Walk &walk) {
  constexpr double kLeast = 16 * 1024;
  return std::max(kLeast, in.gpu.rates[kBytesInL1] / 0.75 - walk.sharedBytesPerSm);
}

// The distance in the matrix of two rows that are neighbours after sorting, if `rows` rows are read
// together. Rows of equal length keep their order, and the rows of a window are read one after
// another.
static double everyOf(const PlanRequest &in, const Walk &walk, double rows) {
  if (walk.sortedRows <= rows)
    return 1;
  return std::clamp(std::min(walk.sortedRows / std::max(1.0, rows), orderOfLengths(in).distance),
                    1.0, std::max(1.0, static_cast<double>(in.profile.rows) / rows));
}

// A share of groups of `rows` rows after sorting, of which some are still neighbours.
static double ofSorted(const PlanRequest &in, const Walk &walk, double rows,
                       llvm::function_ref<double(double)> shareOf) {
  const double every = everyOf(in, walk, rows), drawn = orderOfLengths(in).drawn;
  return every <= 1 ? shareOf(1) : drawn * shareOf(every) + (1 - drawn) * shareOf(1);
}

// The share of `lanes` consecutive entries of a row that are the first in their tile. A row's first
// entry is always such a one; the others are with the probability that the whole row has.
static double firstOfLanes(const PlanRequest &in, int level, double lanes) {
  const double length = xOfRows(in.profile, vectorTypeOf(in.problem)).entriesOfRow;
  const double some = std::clamp(lanes, 1.0, std::max(1.0, length));
  const double ofOthers = (firstOfTile(in, level, 1) * length - 1) / std::max(1e-9, length - 1);
  return (1 + (some - 1) * std::clamp(ofOthers, 0.0, 1.0)) / some;
}

// The sectors of x that a row asks for again, for each of its entries. Lanes that read different
// rows take turns in L1, so a row's next entry in the same sector may come too late, unless the
// rows share their sectors.
static double lostInRows(const PlanRequest &in, const Walk &walk) {
  const int level = sectorLevel(vectorTypeOf(in.problem));
  if (walk.apart > 1 || walk.rowsAtOnce <= 1)
    return 0;
  const double own = firstOfTile(in, level, 1), of32 = firstOfTile(in, level, 32);
  return in.gpu.rates[kLostInRows] *
         std::max(0.0, firstOfLanes(in, level, 32 / walk.rowsAtOnce) - own) * of32 / own;
}

// The sectors or lines of x, of a level, that a load of a warp asks for, for each of its entries.
static double askedByLoad(const PlanRequest &in, const Walk &walk, int level) {
  constexpr double kMostSampled = 256;
  const double rows = std::clamp(walk.rowsAtOnce, 1.0, kMostSampled);
  return std::min(1.0, walk.apart * ofSorted(in, walk, rows, [&](double every) {
                         return firstOfTileOfSome(in, level, rows, every);
                       }));
}

// The sectors of x that are asked for again because L1 does not have them yet: the first batches
// of all threads that are resident are in flight together. `beyondL1` are those that miss L1 later.
static double askedAgain(const PlanRequest &in, const Walk &walk, double entries, double beyondL1) {
  const auto resident = static_cast<double>(in.gpu.sms * in.gpu.threadsPerSm * kPaddedBatch);
  const double asked = askedByLoad(in, walk, sectorLevel(vectorTypeOf(in.problem)));
  return std::min(entries, resident) * std::max(0.0, asked - beyondL1 / std::max(1.0, entries));
}

// The share of x that L1 keeps whole.
static double shareInL1(const PlanRequest &in, const Walk &walk, const WalkPace &pace) {
  const XOfRows x = xOfRows(in.profile, vectorTypeOf(in.problem));
  const double whole = bytesOfL1(in, walk) / (in.gpu.rates[kBytesInL1] / 0.75);
  return std::min(1.0, pace.keptBytes * whole / std::max(32 * x.sectors, 1.0));
}

// The sectors of x that miss L1. A block hits the sectors that its own rows share, as far as L1
// keeps the sectors of all resident blocks. If x fits L1, it also hits the sectors that any earlier
// row has read.
static double sectorsBeyondL1(const PlanRequest &in, const Walk &walk, const WalkPace &pace) {
  const XOfRows x = xOfRows(in.profile, vectorTypeOf(in.problem));
  const double blockRows = std::clamp(walk.blockRows, 1.0, x.rows);
  const double blocksPerSm = std::max(1.0, x.rows / blockRows / static_cast<double>(in.gpu.sms));
  const double resident = std::min(walk.blocksPerSm, blocksPerSm), l1 = bytesOfL1(in, walk);
  const double missed = ofSorted(in, walk, blockRows, [&](double every) {
    return missesOfGroups(in, pace.l1Share * l1 / 32 / resident, blockRows, every);
  });
  const double kept = shareInL1(in, walk, pace);
  // An SM reads each sector that its rows use at least once.
  const double once = std::min(missed, x.sectors / (blocksPerSm * blockRows * x.entriesOfRow));
  const double lost = lostInRows(in, walk);
  const double beyondL1 = x.entries * ((missed + lost) * (1 - kept) + once * kept);
  return beyondL1 + pace.askedAgain * askedAgain(in, walk, x.entries, beyondL1);
}

// The bytes of x that memory delivers again because rows are sorted. The rows of one length lie all
// over their window, so each length walks the window's part of x anew. Meanwhile L2 takes up that
// part of x and what the rows of a length stream.
static double bytesReadAgain(const PlanRequest &in, const Walk &walk, const FromMemory &memory,
                             double streamBytes) {
  const XOfRows x = xOfRows(in.profile, vectorTypeOf(in.problem));
  const int level = sectorLevel(vectorTypeOf(in.problem));
  const double window = std::min(walk.sortedRows, x.rows);
  const OrderOfLengths &order = orderOfLengths(in);
  const double lengths = std::min(window, order.distance);
  if (lengths <= 1)
    return 0;
  const double all = firstOfTileOfSome(in, level, window / lengths, lengths);
  const double again = std::max(0.0, all - firstOfTile(in, level, window));
  const double used = window / x.rows * (memory.distinct + streamBytes / lengths);
  return 32 * order.drawn * again * x.entries * shareBeyondL2(used, in.gpu);
}

static void addX(Traffic &t, const PlanRequest &in, const Walk &walk, const WalkPace &pace) {
  const FromMemory &memory = xFromMemory(in);
  const bool gathers = t.gatherBytes > 0;
  // If memory delivers sectors more than once, they are single sectors at scattered places.
  const double scattered =
      std::clamp((32 * memory.sectors / std::max(memory.distinct, 1.0) - 1.1) / 0.4, 0.0, 1.0);
  t.vectorBytes = bytesOfXAndY(in);
  t.usedBytes = t.storedBytes + static_cast<int64_t>(memory.distinct) +
                in.profile.rows * vectorValueBytes(in.problem);
  t.orderlyBytes = static_cast<int64_t>(
      (1 - scattered) *
      (memory.distinct + bytesReadAgain(in, walk, memory, static_cast<double>(t.streamBytes))));
  if (!gathers)
    return;
  t.scatteredBytes = static_cast<int64_t>(scattered * 32 * memory.sectors);
  t.gatherBytes = static_cast<int64_t>(32 * walk.shareOfL1 * sectorsBeyondL1(in, walk, pace)) +
                  32 * walk.moreSectors;
  const double sector = firstOfTile(in, sectorLevel(vectorTypeOf(in.problem)), 32),
               line = firstOfTile(in, lineLevel(vectorTypeOf(in.problem)), 32);
  t.adjoining = std::max(0.0, sector / line - 1);
}

// The bytes of the sectors of y that have a row with entries, if y is written in single sectors.
static double touchedBytesOfY(const PlanRequest &in) {
  const auto rows = static_cast<double>(in.profile.rows),
             v = static_cast<double>(sizeOf(vectorTypeOf(in.problem)));
  const double empty = 1 - rowsNotEmpty(in.profile) / std::max(1.0, rows);
  return empty > 0.1 ? rows * v * (1 - std::pow(empty, 32 / v)) : 0;
}

// Threads of a block, unless the format sets Traffic::blocks.
constexpr int64_t kWalkBlock = 256;

static int64_t times(double factor, int64_t bytes) {
  return static_cast<int64_t>(factor * static_cast<double>(bytes));
}

// The nanoseconds, over all SMs, of a line that a load finds in L1, as far as L1 keeps x. L1 serves
// a few lines at a time, so lanes whose entries are far apart wait for each other.
static double hitNs(const PlanRequest &in, const Walk &walk, const WalkPace &pace) {
  return in.gpu.rates[kHitNs] * shareInL1(in, walk, pace);
}

void addWalk(Traffic &t, const PlanRequest &in, const Walk &walk) {
  const SparsityProfile &p = in.profile;
  const WalkPace &pace = kept<readPace>(in, &walk.pace);
  addX(t, in, walk, pace);
  const double rows = std::min(rowsNotEmpty(p), static_cast<double>(p.rows));
  const auto slots = static_cast<double>(t.slots ? t.slots : p.nnz);
  const bool isF64 = vectorTypeOf(in.problem) == ValueType::f64;
  const double entryNs = isF64 ? pace.entryNsF64 : pace.entryNsF32;
  const double workNs = (walk.workOfSlot * slots + static_cast<double>(walk.moreItems)) * entryNs +
                        slots * walk.shareOfL1 * (pace.lineNs + hitNs(in, walk, pace)) *
                            askedByLoad(in, walk, lineLevel(vectorTypeOf(in.problem))) +
                        rows * pace.rowNs + (static_cast<double>(p.rows) - rows) * pace.emptyRowNs;
  t.workUs += walk.passes * workNs / 1000;
  t.gatherBytes = times(walk.passes, t.gatherBytes);
  t.scatteredBytes = times(walk.passes, t.scatteredBytes);
  t.streamBytes = times(walk.passes, t.streamBytes);
  if (walk.scattersY)
    t.orderlyBytes += static_cast<int64_t>(pace.scattered * touchedBytesOfY(in));
  t.orderlyBytes = times(walk.passes, t.orderlyBytes);
  if (t.blocks == 0)
    t.blocks = ceilDiv(t.threads, kWalkBlock);
  setPace(t, in, walk.pace);
}

void setPace(Traffic &t, const PlanRequest &in, const PaceRates &rates) {
  const WalkPace &pace = kept<readPace>(in, &rates);
  const double efficiency = t.pace.efficiency; // a factor that the format has set
  t.pace = pace.pace;
  t.pace.efficiency *= efficiency;
  t.pace.latency *= vectorTypeOf(in.problem) == ValueType::f64 ? pace.latencyF64 : 1;
  t.caution *= pace.caution;
}

// The length of the longest row, and the lengths that at least 8, 64, ... rows have.
static std::array<Count, LongRows::kSizes> longestRows(const PlanRequest &in, int64_t /*number*/) {
  std::array<Count, LongRows::kSizes> out{};
  Count seen = 0, wanted = 1;
  size_t i = 0;
  for (const LengthCount &l : llvm::reverse(in.profile.lengths)) {
    seen += l.rows;
    for (; i < out.size() && seen >= wanted; wanted *= 8)
      out[i++] = l.length;
  }
  return out;
}

LongRows longRowsOf(const PlanRequest &in, llvm::function_ref<double(int64_t)> passesOf,
                    double perWave) {
  LongRows out{.perWave = perWave};
  const auto &lengths = kept<longestRows>(in);
  for (size_t i = 0; i < lengths.size(); ++i)
    out.passes[i] = passesOf(lengths[i]);
  return out;
}

LongRows longRowsOf(const PlanRequest &in, int64_t lanes, double perWave) {
  const double perBatch = in.gpu.rates[kPassesPerBatch];
  return longRowsOf(
      in,
      [&](int64_t length) {
        return perBatch * static_cast<double>(ceilDiv(ceilDiv(length, lanes), kPaddedBatch));
      },
      perWave);
}

} // namespace specmv
