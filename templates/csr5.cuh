// CSR5 (Liu and Vinter, "CSR5: an efficient storage format for cross-platform sparse matrix-vector
// multiplication", 2015): tiles of omega x sigma entries. Each of the omega lanes of a group sums
// sigma consecutive entries; bits mark where rows begin, and a segmented sum adds up rows that lie
// in several lanes. The paper's kernel stores a row where it begins. This one stores it where it
// ends, so the sum of the open row stays in a register from tile to tile.
//
// Example: omega = 2 (plans have 8 or more), sigma = 3, one group of two tiles, rows of 2, 5, 1 and
// 6 entries. p0, p1, ... are the products of the entries; | marks where a row ends and the next
// begins, a bit of bitFlag.
//           lane 0       lane 1        laneOffset of lane 1          tilePtr
//   tile 0  p0 p1|p2     p3 p4 p5      y_offset 1, seg_offset 1      row 0
//   tile 1  p6|p7|p8     p9 p10 p11    y_offset 2, seg_offset 1      row 1, that of p5
// Tile 0: row 0 ends. It is the first row to end, so an earlier group may have a part of it: p0 +
// p1 is kept as `head`. The segmented sum gives lane 1 p2 + ... + p5, which stays open.
//
// Tile 1: row 1 ends; the open sum is added and p2 + ... + p6 is stored. Row 2 ends; p7 is stored.
//
// At the end of the block, the head is stored too, unless a row was open at the block's beginning.
// Row 3 continues in the next block: p8 + ... + p11 is published as this block's partial sum of it.
#pragma once
#include "shared/hot_x.cuh"
#include "shared/open_rows.cuh"

namespace specmv {

struct Csr5Plan {
  int blockThreads;
  int omega;         // lanes of a group, which works on one tile at a time
  int sigma;         // consecutive entries of a lane
  int tilesPerGroup; // consecutive tiles of a group, which it takes one by one; or kAsArgument
  bool hasEmptyRows; // the last blocks of the launch write the rows without entries
  bool readsY;       // false: beta is 0 in every product
  // The columns with the most entries, whose x every block has in shared memory; 0: none, or
  // kAsArgument. In `col` they have the numbers 0 .. hotColumns - 1, and every other column is
  // hotColumns more.
  int hotColumns = 0;
};

template <class T, class Flags> struct Csr5Args {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  Streamed<Flags> bitFlag;    // per lane: bit s is set if a row ends just before its entry s
  Streamed<Int16> laneOffset; // per lane: y_offset x omega + seg_offset, see csr5Tile()
  const Offset *tilePtr;      // tileCount + 1: the row of the last entry before the tile
  const Offset *emptyPtr;     // per tile: where its part of emptyOffset begins; -1 if it has none,
                              // because the rows that end in it are consecutive
  const Offset *emptyOffset;  // per row that ends in a tile with such a part: row - tilePtr
  Streamed<Offset> emptyRow;  // the rows without entries
  typename T::Columns col;    // entry s of lane l is at s omega + l of its tile; -1 is padding
  typename T::Values val;
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset tileCount, emptyRows;
  // Fields of OpenRows.
  const unsigned *openFirst, *openLast;
  WordOf<Value> *partialSums;
  unsigned *arrivals;
  const Value *hotX = nullptr; // of the hot columns, from csr5Hot()
  // Numbers of the plan that are not constants.
  int tilesPerGroup = 0, hotColumns = 0;
};

template <Csr5Plan plan, class Args> __device__ __forceinline__ int csr5Tiles(const Args &a) {
  return plan.tilesPerGroup == kAsArgument ? a.tilesPerGroup : plan.tilesPerGroup;
}
template <Csr5Plan plan, class Args> __device__ __forceinline__ int csr5HotColumns(const Args &a) {
  return plan.hotColumns == kAsArgument ? a.hotColumns : plan.hotColumns;
}

template <class T> struct Csr5HotArgs {
  Streamed<typename T::Column> hotCol; // the hot columns
  typename T::X x;
  typename T::Value *hotX;
  int hotColumns = 0; // if they are not a constant
};

// Puts x of the hot columns side by side, from where each block of the next kernel copies it: if
// each block gathered it by itself, that would take longer than all other gathers.
template <Csr5Plan plan, class T> __device__ __forceinline__ void csr5Hot(const Csr5HotArgs<T> &a) {
  letNextBegin();
  const int i = blockIdx.x * plan.blockThreads + threadIdx.x;
  if (i < csr5HotColumns<plan>(a))
    a.hotX[i] = loadReused(a.x + loadOnce(a.hotCol + i));
}

// The number of rows of a tile whose sums fit in shared memory at a time. If more rows end in a
// tile, the group goes through the tile again for the others; this cannot happen if sigma is at
// most a batch, and is rare if rows are not short. Beside x of hot columns there is less room.
template <Csr5Plan plan> __device__ constexpr int csr5Staged() {
  constexpr int batch = plan.hotColumns != 0 ? kCsr5Batch / 2 : kCsr5Batch;
  return (plan.sigma < batch ? plan.sigma : batch) * plan.omega;
}

// The sums, in shared memory, of the rows that end in a tile, starting with row number `first`.
template <Csr5Plan plan, class Value> struct Csr5Stage {
  Value *sums;
  int first;
  __device__ bool holds(int place) const {
    constexpr int held = csr5Staged<plan>();
    return held == plan.omega * plan.sigma || unsigned(place - first) < unsigned(held);
  }
};

// The state that a group carries from tile to tile.
template <class Value> struct Csr5Open {
  Value sum;    // sum of the open row, which continues after the tiles so far
  Value head;   // in lane 0: sum of the first row that ended, which may have begun before the group
  bool hasEnds; // true if a row has ended
};

// The sum over this lane and the `distance` lanes before it, within `lanes` aligned lanes. All of
// these lanes must make this call together.
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

// Adds `count` entries of one lane, from `slot` on, to the sum of the open row. Stores the sums of
// rows that end in the stage, from `place` on. The first of them is only this lane's part: earlier
// lanes may have the rest.
template <Csr5Plan plan, int count, class Args, class XOf, class Offset, class Value>
__device__ __forceinline__ void csr5Batch(const Args &a, const XOf &xOf, Offset slot,
                                          unsigned flags, int &place,
                                          const Csr5Stage<plan, Value> &stage, Value &sum) {
  decltype(loadOnce(a.val)) val[count];
  Value x[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const Offset at = slot + i * plan.omega;
    const auto col = loadOnce(a.col + at);
    val[i] = loadOnce(a.val + at);
    x[i] = xOf(col);
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

// Adds up the entries of one lane and returns the sum of the row that is open after them.
template <Csr5Plan plan, class Args, class XOf, class Offset, class Value>
__device__ __forceinline__ Value csr5Lane(const Args &a, const XOf &xOf, Offset slot,
                                          unsigned flags, int &place,
                                          const Csr5Stage<plan, Value> &stage) {
  constexpr int batch = kCsr5Batch, whole = plan.sigma / batch;
  // 64 registers are enough for the loads of two batches, but not of more.
  constexpr int unrolled = plan.sigma <= 2 * batch ? 2 : 1;
  Value sum = 0;
#pragma unroll unrolled
  for (int b = 0; b < whole; ++b, flags >>= batch, slot += batch * plan.omega)
    csr5Batch<plan, batch>(a, xOf, slot, flags, place, stage, sum);
  if constexpr (plan.sigma % batch != 0)
    csr5Batch<plan, plan.sigma % batch>(a, xOf, slot, flags, place, stage, sum);
  return sum;
}

// Adds up one tile. y_offset of a lane is the number of rows that end in the lanes before it.
// seg_offset is the distance to the lane in which the row that is open at this lane's end began:
// this lane, an earlier one, or the first lane if the row began before the tile.
template <Csr5Plan plan, class Args, class XOf, class Offset, class Value>
__device__ __forceinline__ void csr5Tile(const Args &a, const XOf &xOf, Offset tile, Value *sums,
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
    Value sum = csr5Lane<plan>(a, xOf, tile * omega * plan.sigma + lane, flags, place, stage);
    if (lane == 0 && flags == 0)
      sum += open.sum;
    sum = segmentSum<omega>(sum, offsets % omega);
    const Value before = __shfl_up_sync(group, sum, 1, omega);
    if (joins)
      sums[firstPlace] += lane == 0 ? open.sum : before;
    last = __shfl_sync(group, sum, omega - 1, omega);
    ends = __shfl_sync(group, place, omega - 1, omega);
    __syncwarp(group);
    for (int i = lane; i < csr5Staged<plan>() && stage.first + i < ends; i += omega) {
      const Offset k = stage.first + i;
      if (k == 0 && !open.hasEnds)
        open.head = sums[0];
      else
        storeResult<plan.readsY>(a.y +
                                     (row + (gaps < 0 ? k : loadReused(a.emptyOffset + gaps + k))),
                                 a.alpha, sums[i], a.beta);
    }
    __syncwarp(group);
    stage.first += csr5Staged<plan>();
  } while (csr5Staged<plan>() < omega * plan.sigma && stage.first < ends);
  open = {last, open.head, open.hasEnds || ends > 0};
}

// Adds up the sums that the groups of a block left open. Only the first warp calls this; its lane l
// has the final state of group l.
template <Csr5Plan plan, class Args, class Offset, class Value>
__device__ __forceinline__ void csr5Groups(const Args &a, Offset firstTile,
                                           const OpenRows<Value> &rows, OpenRow row,
                                           const Csr5Open<Value> &open) {
  constexpr int count = plan.blockThreads / plan.omega;
  const int groupTiles = csr5Tiles<plan>(a), blockTiles = count * groupTiles;
  const int lane = threadIdx.x;
  const unsigned ended = __ballot_sync(kFullMask, open.hasEnds);
  const unsigned upTo = ended & kFullMask >> (31 - lane);
  const Value sum = segmentSum<32>(open.sum, upTo ? lane - 31 + __clz(int(upTo)) : lane);
  const Value before = __shfl_up_sync(kFullMask, sum, 1);
  const Value whole = lane == 0 ? open.head : before + open.head;
  const int first = ended ? __ffs(int(ended)) - 1 : 0;
  if (open.hasEnds && lane != first)
    storeResult<plan.readsY>(a.y + loadReused(a.tilePtr + firstTile + Offset(lane) * groupTiles),
                             a.alpha, whole, a.beta);

  // Lane 0 takes the row that was open when the block began, lane 1 the one that is open at its
  // end. No row is open before the first block or after the last; isOwn selects the lane that then
  // stores.
  const Value head = __shfl_sync(kFullMask, whole, first);
  const Value tail = __shfl_sync(kFullMask, sum, count - 1);
  const Offset left = a.tileCount - firstTile;
  const Offset end = firstTile + (left < blockTiles ? left : blockTiles);
  Value partialSum = lane == 0 && ended ? head : tail;
  const bool isOwn = lane == 0 ? ended != 0 : lane == 1 && (ended || blockIdx.x == 0);
  if (publishPartialSum(rows, row, partialSum) || (isOwn && !row.isOpen()))
    storeResult<plan.readsY>(
        openRowOf(a.y, loadReused(a.tilePtr + (lane == 0 ? firstTile : end)), row), a.alpha,
        partialSum, a.beta);
}

template <Csr5Plan plan, class T, class Flags>
__device__ __forceinline__ void csr5(const Csr5Args<T, Flags> &a) {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  static_assert(plan.blockThreads % 32 == 0 &&
                plan.blockThreads <= (plan.hotColumns != 0 ? 1024 : 512));
  static_assert(plan.omega <= 32 && plan.omega >= plan.blockThreads / 32 &&
                (plan.omega & (plan.omega - 1)) == 0);
  static_assert(plan.sigma >= 1 && plan.sigma <= 8 * int(sizeof(Flags)));
  static_assert(plan.omega * plan.omega * plan.sigma <= 65536);
  static_assert(plan.tilesPerGroup >= 1 || plan.tilesPerGroup == kAsArgument);
  constexpr int groups = plan.blockThreads / plan.omega;
  const int groupTiles = csr5Tiles<plan>(a), blockTiles = groups * groupTiles;
  const Offset tileBlocks = (a.tileCount + blockTiles - 1) / blockTiles;
  if constexpr (plan.hasEmptyRows)
    if (Offset(blockIdx.x) >= tileBlocks) {
      const Offset i = (Offset(blockIdx.x) - tileBlocks) * plan.blockThreads + threadIdx.x;
      if (i < a.emptyRows)
        storeResult<plan.readsY>(a.y + loadOnce(a.emptyRow + i), a.alpha, Value(0), a.beta);
      return;
    }

  SPECMV_SHARED_ARRAY(Value, sums, groups * csr5Staged<plan>());
  SPECMV_SHARED_ARRAY(Value, tails, groups);
  SPECMV_SHARED_ARRAY(Value, heads, groups);
  SPECMV_SHARED_ARRAY(bool, hasEnds, groups);
  const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums, a.arrivals};
  const OpenRow row = rows.ofLane();
  const int group = threadIdx.x / plan.omega;
  const Offset blockTile = Offset(blockIdx.x) * blockTiles;
  const Offset begin = blockTile + Offset(group) * groupTiles;
  const int hotColumns = csr5HotColumns<plan>(a);
  const HotX<plan.hotColumns != 0, typename T::X, Value> xOf{
      a.x, stageHot<plan.blockThreads, plan.hotColumns != 0>(a.hotX, hotColumns), hotColumns};
  Csr5Open<Value> open{0, 0, false};
#pragma unroll 1
  for (int t = 0; t < groupTiles && begin + t < a.tileCount; ++t)
    csr5Tile<plan>(a, xOf, begin + t, sums + group * csr5Staged<plan>(), open);
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
