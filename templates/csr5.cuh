// CSR5 (Liu and Vinter 2015): tiles of omega x sigma entries, of which each of omega lanes sums
// sigma consecutive ones; bits tell where rows begin, and a segmented sum joins what lanes share.
// Unlike the paper's kernel this one stores a row where it ends, not where it begins, so that what
// is open goes along in a register from tile to tile.
#pragma once
#include "shared/open_rows.cuh"

namespace specmv {

struct Csr5Plan {
  int blockThreads;
  int omega;         // lanes of a tile, a group
  int sigma;         // entries of a lane
  int tilesPerGroup; // consecutive ones
  bool hasEmptyRows; // behind the blocks for tiles come blocks for the rows without entries
  bool readsY;       // false: beta is 0 in every product
};

template <class Value, class Offset, class Column, class Flags> struct Csr5Args {
  const Flags *bitFlag;      // per lane: bit s tells that entry s begins a row and ends another
  const Int16 *laneOffset;   // per lane: y_offset x omega + seg_offset, see csr5Tile()
  const Offset *tilePtr;     // tileCount + 1: the row of the entry before the tile, where it begins
  const Offset *emptyPtr;    // per tile: its part of emptyOffset, -1 if its rows are consecutive
  const Offset *emptyOffset; // per row that ends in such a tile: row - tilePtr
  const Offset *emptyRow;    // the rows without entries
  const Column *col;         // entry s of lane l at s omega + l of its tile; -1 past the last one
  const Value *val;
  const Value *x;
  Value *y;
  Value alpha, beta;
  Offset tileCount, emptyRows;
  // Fields of OpenRows.
  const unsigned *openFirst, *openLast;
  WordOf<Value> *partialSums;
  unsigned *arrivals;
};

// Entries of a lane whose loads are issued together, as in ELL.
constexpr int kCsr5Batch = 8;

// Rows of a tile whose sums shared memory holds at a time. Tiles in which more rows end are rare if
// sigma is near the mean length: they are gone through again for the rest.
template <const Csr5Plan &plan>
constexpr int kCsr5Staged = (plan.sigma < kCsr5Batch ? plan.sigma : kCsr5Batch) * plan.omega;

// The rows that end in a tile, from number `first` on, in shared memory.
template <const Csr5Plan &plan, class Value> struct Csr5Stage {
  Value *sums;
  int first;
  __device__ bool holds(int place) const {
    constexpr int held = kCsr5Staged<plan>;
    return held == plan.omega * plan.sigma || unsigned(place - first) < unsigned(held);
  }
};

// What a group knows of its tiles so far.
template <class Value> struct Csr5Open {
  Value sum;    // of the row that is open
  Value head;   // lane 0: of the row that was open at first, when it has ended
  bool hasEnds; // a row has ended
};

// The sum of this lane and of the `distance` lanes before it, within `lanes` aligned lanes, all of
// which must call this together.
template <int lanes, class Value>
__device__ __forceinline__ Value segmentSum(Value v, int distance) {
#pragma unroll
  for (int step = 1; step < lanes; step *= 2) {
    const Value before = __shfl_up_sync(groupMask<lanes>(), v, step, lanes);
    if (distance >= step)
      v += before;
  }
  return v;
}

// Adds `count` entries of one lane from `slot` on to the sum of the row that is open, and stages
// the sums of rows that end, at `place` and on; of the lane's first one it is only the lane's part.
template <const Csr5Plan &plan, int count, class Args, class Offset, class Value>
__device__ __forceinline__ void csr5Batch(const Args &a, Offset slot, unsigned flags, int &place,
                                          const Csr5Stage<plan, Value> &stage, Value &sum) {
  Value val[count], x[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const Offset at = slot + i * plan.omega;
    const auto col = loadOnce(a.col + at);
    val[i] = loadOnce(a.val + at);
    x[i] = loadReusedIf(col >= 0, a.x + col);
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const bool isEnd = flags >> i & 1;
    if (isEnd && stage.holds(place))
      stage.sums[place - stage.first] = sum;
    place += isEnd;
    sum = multiplyAdd(val[i], x[i], isEnd ? Value(0) : sum);
  }
}

// The entries of one lane. Returns the sum of the row that is open at its end.
template <const Csr5Plan &plan, class Args, class Offset, class Value>
__device__ __forceinline__ Value csr5Lane(const Args &a, Offset slot, unsigned flags, int &place,
                                          const Csr5Stage<plan, Value> &stage) {
  constexpr int batch = kCsr5Batch, whole = plan.sigma / batch;
  // The loads of two batches at a time are what 64 registers take.
  constexpr int unrolled = plan.sigma <= 2 * batch ? 2 : 1;
  Value sum = 0;
#pragma unroll unrolled
  for (int b = 0; b < whole; ++b, flags >>= batch, slot += batch * plan.omega)
    csr5Batch<plan, batch>(a, slot, flags, place, stage, sum);
  if constexpr (plan.sigma % batch != 0)
    csr5Batch<plan, plan.sigma % batch>(a, slot, flags, place, stage, sum);
  return sum;
}

// Sums one tile. y_offset is the number of rows that end in the lanes before; seg_offset is the
// distance to the lane, this or an earlier one, where the row began that is open at this lane's
// end, or to the first lane.
template <const Csr5Plan &plan, class Args, class Offset, class Value>
__device__ __forceinline__ void csr5Tile(const Args &a, Offset tile, Value *sums,
                                         Csr5Open<Value> &open) {
  constexpr int omega = plan.omega;
  const unsigned group = groupMask<omega>();
  const int lane = threadIdx.x % omega;
  const unsigned flags = loadOnce(a.bitFlag + tile * omega + lane);
  const int offsets = loadOnce(a.laneOffset + tile * omega + lane);
  const Offset row = loadReused(a.tilePtr + tile);
  Offset gaps = -1;
  if constexpr (plan.hasEmptyRows)
    gaps = loadReused(a.emptyPtr + tile);

  Csr5Stage<plan, Value> stage{sums, 0};
  Value last;
  int ends;
  do {
    int place = offsets / omega;
    const int firstPlace = place - stage.first;
    const bool joins = flags != 0 && stage.holds(place);
    Value sum = csr5Lane<plan>(a, tile * omega * plan.sigma + lane, flags, place, stage);
    if (lane == 0 && flags == 0)
      sum += open.sum;
    sum = segmentSum<omega>(sum, offsets % omega);
    const Value before = __shfl_up_sync(group, sum, 1, omega);
    if (joins)
      sums[firstPlace] += lane == 0 ? open.sum : before;
    last = __shfl_sync(group, sum, omega - 1, omega);
    ends = __shfl_sync(group, place, omega - 1, omega);
    __syncwarp(group);
    for (int i = lane; i < kCsr5Staged<plan> && stage.first + i < ends; i += omega) {
      const Offset k = stage.first + i;
      if (k == 0 && !open.hasEnds)
        open.head = sums[0];
      else
        storeResult<plan.readsY>(a.y +
                                     (row + (gaps < 0 ? k : loadReused(a.emptyOffset + gaps + k))),
                                 a.alpha, sums[i], a.beta);
    }
    __syncwarp(group);
    stage.first += kCsr5Staged<plan>;
  } while (kCsr5Staged<plan> < omega * plan.sigma && stage.first < ends);
  open = {last, open.head, open.hasEnds || ends > 0};
}

// What the groups of a block have left open (Csr5Open) is put together by its first warp, in which
// a lane stands for a group.
template <const Csr5Plan &plan, class Args, class Offset, class Value>
__device__ __forceinline__ void csr5Groups(const Args &a, Offset firstTile,
                                           const OpenRows<Value> &rows, OpenRow row,
                                           const Csr5Open<Value> &open) {
  constexpr int count = plan.blockThreads / plan.omega;
  constexpr int blockTiles = count * plan.tilesPerGroup;
  const int lane = threadIdx.x;
  const unsigned ended = __ballot_sync(kFullMask, open.hasEnds);
  const unsigned upTo = ended & kFullMask >> (31 - lane);
  const Value sum = segmentSum<32>(open.sum, upTo ? lane - 31 + __clz(int(upTo)) : lane);
  const Value before = __shfl_up_sync(kFullMask, sum, 1);
  const Value whole = lane == 0 ? open.head : before + open.head;
  const int first = ended ? __ffs(int(ended)) - 1 : 0;
  if (open.hasEnds && lane != first)
    storeResult<plan.readsY>(
        a.y + loadReused(a.tilePtr + firstTile + Offset(lane) * plan.tilesPerGroup), a.alpha, whole,
        a.beta);

  // Lane 0 takes the row that is open at the begin, lane 1 the one at the end. All rows of the
  // matrix have ended at its end, and none is open at its begin.
  const Value head = __shfl_sync(kFullMask, whole, first);
  const Value tail = __shfl_sync(kFullMask, sum, count - 1);
  const Offset left = a.tileCount - firstTile;
  const Offset end = firstTile + (left < blockTiles ? left : blockTiles);
  Value share = lane == 0 && ended ? head : tail;
  const bool isOwn = lane == 0 ? ended != 0 : lane == 1 && (ended || blockIdx.x == 0);
  if (bringShare(rows, row, share) || (isOwn && !row.isOpen()))
    storeResult<plan.readsY>(a.y + loadReused(a.tilePtr + (lane == 0 ? firstTile : end)), a.alpha,
                             share, a.beta);
}

template <const Csr5Plan &plan, class Value, class Offset, class Column, class Flags>
__device__ __forceinline__ void csr5(const Csr5Args<Value, Offset, Column, Flags> &a) {
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 512);
  static_assert(plan.omega <= 32 && plan.omega >= plan.blockThreads / 32 &&
                (plan.omega & (plan.omega - 1)) == 0);
  static_assert(plan.sigma >= 1 && plan.sigma <= 8 * int(sizeof(Flags)));
  static_assert(plan.omega * plan.omega * plan.sigma <= 65536 && plan.tilesPerGroup >= 1);
  constexpr int groups = plan.blockThreads / plan.omega;
  constexpr int blockTiles = groups * plan.tilesPerGroup;
  const Offset tileBlocks = (a.tileCount + blockTiles - 1) / blockTiles;
  if constexpr (plan.hasEmptyRows)
    if (Offset(blockIdx.x) >= tileBlocks) {
      const Offset i = (Offset(blockIdx.x) - tileBlocks) * plan.blockThreads + threadIdx.x;
      if (i < a.emptyRows)
        storeResult<plan.readsY>(a.y + loadOnce(a.emptyRow + i), a.alpha, Value(0), a.beta);
      return;
    }

  SPECMV_SHARED_ARRAY(Value, sums, groups * kCsr5Staged<plan>);
  SPECMV_SHARED_ARRAY(Value, tails, groups);
  SPECMV_SHARED_ARRAY(Value, heads, groups);
  SPECMV_SHARED_ARRAY(bool, hasEnds, groups);
  const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums, a.arrivals};
  const OpenRow row = rows.ofLane();
  const int group = threadIdx.x / plan.omega;
  const Offset blockTile = Offset(blockIdx.x) * blockTiles;
  const Offset begin = blockTile + Offset(group) * plan.tilesPerGroup;
  Csr5Open<Value> open{0, 0, false};
#pragma unroll 1
  for (int t = 0; t < plan.tilesPerGroup && begin + t < a.tileCount; ++t)
    csr5Tile<plan>(a, begin + t, sums + group * kCsr5Staged<plan>, open);
  if (threadIdx.x % plan.omega == 0)
    tails[group] = open.sum, heads[group] = open.head, hasEnds[group] = open.hasEnds;
  __syncthreads();
  if (threadIdx.x >= 32)
    return;
  open = {0, 0, false};
  if (threadIdx.x < groups)
    open = {tails[threadIdx.x], heads[threadIdx.x], hasEnds[threadIdx.x]};
  csr5Groups<plan>(a, blockTile, rows, row, open);
}

} // namespace specmv
