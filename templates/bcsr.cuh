// BCSR: dense r x c blocks with one column index each (Zhang et al. 2013 compare QCSR with it). A
// group of lanes multiplies a block row; lane l takes its blocks l, l + lanes, ... The block rows
// of a warp form a slice, in which blocks are interleaved as in sliced ELL, so that all reads of
// the matrix are coalesced.
#pragma once
#include "shared/block_codes.cuh"
#include "shared/several.cuh"

namespace specmv {

struct BcsrPlan {
  int blockThreads;
  int r, c;  // rows and columns of a block
  int lanes; // lanes of a group, which multiplies a block row; or kAsArgument
  bool full; // all places of all blocks are entries; otherwise each block has a mask of its entries
  bool readsY; // false: beta is 0 in every product
};

template <class T, class Local, class Mask> struct BcsrArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  using Column = typename T::Column;
  const Offset *sliceStart; // first step of a slice; a step has one block for each lane of a warp
  const Column *blocks;     // number of blocks of a block row
  Streamed<Local> col;      // steps x 32: the block column, column / c; if 16 bits are enough:
                            // the distance from the diagonal, blockRow r / c, plus 2^15
  Streamed<Mask> mask = {}; // steps x 32: bit j r + i for the entry at row i, column j
  typename T::Values val;   // steps x c x r x 32, or a code for each block and a table of blocks
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
  int laneBits = 0; // the logarithm of the lanes, if they are not a constant
};

// The number of values whose loads a lane issues together.
template <class Value> __device__ constexpr int bcsrBatch() {
  return sizeof(Value) == 4 ? kBcsrBatchF32 : kBcsrBatchF64;
}

// The number of columns of a piece. A piece is a part of a block: some whole columns, whose number
// divides c. The pieces of a lane are numbered consecutively.
template <BcsrPlan plan, class Value> __device__ constexpr int bcsrColumns() {
  int columns = plan.c;
  while (columns > 1 && (plan.c % columns != 0 || plan.r * columns > bcsrBatch<Value>()))
    --columns;
  return columns;
}

// The number of pieces in a batch, which are loaded together. If values are in a table, which is
// near, only columns and codes come from far, and more of them must be in flight.
template <BcsrPlan plan, class Args> __device__ constexpr int bcsrPieces() {
  using Value = typename Args::Value;
  const int pieces = bcsrBatch<Value>() / (plan.r * bcsrColumns<plan, Value>());
  const bool hasCodes = BlocksHaveCodes<decltype(Args::val)>::kDo;
  return hasCodes || pieces > kBcsrMostPieces ? int{kBcsrMostPieces} : pieces;
}

template <class Mask> __device__ __forceinline__ auto bcsrBits(Mask mask) {
  if constexpr (sizeof(Mask) == 8)
    return static_cast<unsigned long long>(mask);
  else
    return static_cast<unsigned>(mask);
}

// The pieces of one lane, the `lane`-th of a slice. The first piece is at step `start`; `origin` is
// added to the stored columns.
template <class Offset, class Column> struct BcsrLane {
  unsigned lane;
  Offset start;
  Column pieces;
  Column origin;
};

// The addresses at which a batch of pieces reads x, the places that are entries, which are bit
// j r + i of a piece for row i and column j, and the codes of blocks.
template <int count, class X, class Bits, class Code> struct BcsrPlaces {
  X x[count];
  Bits bits[count];
  Code code[count];
};

// Loads the column, the mask or the code of a block. If it has several pieces, all of them read
// these, so L1 must keep them.
template <bool once> struct BcsrLoad {
  template <class View> __device__ __forceinline__ auto operator()(const View &view) const {
    if constexpr (once)
      return loadOnce(view);
    else
      return loadKept(view);
  }
};

// The places of the batch from piece `first` on. After the last piece, its places are repeated.
template <BcsrPlan plan, class Args, class Lane>
__device__ __forceinline__ auto bcsrPlaces(const Args &a, const Lane &lane,
                                           decltype(lane.pieces) first) {
  using Column = decltype(lane.pieces);
  using Value = decltype(a.alpha);
  constexpr int count = bcsrPieces<plan, Args>(), columns = bcsrColumns<plan, Value>();
  constexpr int perBlock = plan.c / columns;
  constexpr BcsrLoad<perBlock == 1> load = {};
  using Code = decltype(codeOfBlock(a.val, Int64(0), load));
  BcsrPlaces<count, decltype(a.x), decltype(bcsrBits(*a.mask.at)), Code> out = {};
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const Column piece = first + k < lane.pieces ? first + k : lane.pieces - 1;
    const Int64 block = (Int64(lane.start) + piece / perBlock) * 32 + lane.lane;
    const Column column = lane.origin + Column(load(a.col + block));
    const int begin = int(piece % perBlock) * columns;
    out.x[k] = ofThread(a.x) + Int64(column) * plan.c + begin;
    if constexpr (!plan.full)
      out.bits[k] = bcsrBits(load(a.mask + block)) >> begin * plan.r;
    out.code[k] = codeOfBlock(a.val, block, load);
  }
  return out;
}

// The numbers of a batch of pieces, in registers.
template <int count, int columns, int r, class Stored, class Sum, class Bits> struct BcsrBatch {
  Stored val[count][columns][r];
  Sum x[count][columns];
  Bits bits[count];
};

// Loads the batch from piece `first` on. A column without any entry does not read x, since it may
// be beyond the last column of the matrix.
template <BcsrPlan plan, class Args, class Lane, class Places>
__device__ __forceinline__ auto bcsrLoad(const Args &a, const Lane &lane, const Places &places,
                                         decltype(lane.pieces) first) {
  using Column = decltype(lane.pieces);
  using Value = decltype(a.alpha);
  using Bits = decltype(bcsrBits(*a.mask.at));
  constexpr int count = bcsrPieces<plan, Args>(), columns = bcsrColumns<plan, Value>();
  constexpr int r = plan.r, perBlock = plan.c / columns;
  constexpr Bits wholeColumn = (Bits(1) << r) - 1;
  using Stored = decltype(loadOnce(a.val));
  BcsrBatch<count, columns, r, Stored, SumOf<decltype(a.x)>, Bits> out;
  const Int64 begin = Int64(lane.start) * perBlock;
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const Column piece = first + k < lane.pieces ? first + k : lane.pieces - 1;
    const auto val = pieceOf<columns * r>(a.val, places.code[k], begin + piece, lane.lane,
                                          int(piece % perBlock) * columns * r);
    out.bits[k] = places.bits[k];
#pragma unroll
    for (int j = 0; j < columns; ++j) {
#pragma unroll
      for (int i = 0; i < r; ++i)
        out.val[k][j][i] = valueOf(val, j * r + i);
      if constexpr (plan.full)
        out.x[k][j] = loadReused(places.x[k] + j);
      else
        out.x[k][j] = loadReusedIf((places.bits[k] >> j * r & wholeColumn) != 0, places.x[k] + j);
    }
  }
  return out;
}

// Adds the products of the first `left` pieces of a batch. A place without an entry does not use x,
// so that a NaN in x cannot reach a row that has no entry there.
template <BcsrPlan plan, class Args, class Batch, class Column, class Sum>
__device__ __forceinline__ void bcsrMultiply(const Batch &batch, Column left, Sum (&sum)[plan.r]) {
#pragma unroll
  for (int k = 0; k < bcsrPieces<plan, Args>(); ++k)
#pragma unroll
    for (int j = 0; j < bcsrColumns<plan, typename Args::Value>(); ++j)
#pragma unroll
      for (int i = 0; i < plan.r; ++i)
        if ((k == 0 || k < left) && (plan.full || (batch.bits[k] >> (j * plan.r + i) & 1)))
          sum[i] = multiplyAdd(batch.val[k][j][i], batch.x[k][j], sum[i]);
}

// Sums one lane's pieces. While it multiplies a batch, it loads the next batch and the columns of
// the batch after the next, so a lane waits for memory only once per batch.
template <BcsrPlan plan, class Args, class Lane, class Sum>
__device__ __forceinline__ void bcsrSums(const Args &a, const Lane &lane, Sum (&sum)[plan.r]) {
  using Column = decltype(lane.pieces);
  constexpr Column count = bcsrPieces<plan, Args>();
  if (lane.pieces <= 0)
    return;
  auto batch = bcsrLoad<plan>(a, lane, bcsrPlaces<plan>(a, lane, 0), 0);
  auto places = bcsrPlaces<plan>(a, lane, count);
  Column first = count;
#pragma unroll 1
  for (; first < lane.pieces; first += count) {
    const auto next = bcsrLoad<plan>(a, lane, places, first);
    places = bcsrPlaces<plan>(a, lane, first + count);
    bcsrMultiply<plan, Args>(batch, count, sum);
    batch = next;
  }
  bcsrMultiply<plan, Args>(batch, lane.pieces - first + count, sum);
}

// Sums one lane's pieces whose values are in a table. It loads the columns and codes of the next
// batch before it reads the table for this one.
template <BcsrPlan plan, class Args, class Lane, class Sum>
__device__ __forceinline__ void bcsrSumsByCodes(const Args &a, const Lane &lane,
                                                Sum (&sum)[plan.r]) {
  using Column = decltype(lane.pieces);
  constexpr Column count = bcsrPieces<plan, Args>();
  if (lane.pieces <= 0)
    return;
  auto places = bcsrPlaces<plan>(a, lane, 0);
#pragma unroll 1
  for (Column first = 0; first < lane.pieces; first += count) {
    const auto next = bcsrPlaces<plan>(a, lane, first + count);
    bcsrMultiply<plan, Args>(bcsrLoad<plan>(a, lane, places, first), lane.pieces - first, sum);
    places = next;
  }
}

__device__ constexpr int bcsrLaneBits(int lanes) {
  return lanes > 1 ? 1 + bcsrLaneBits(lanes / 2) : 0;
}

template <BcsrPlan plan, class T, class Local, class Mask>
__device__ __forceinline__ void bcsr(const BcsrArgs<T, Local, Mask> &a) {
  using Offset = typename T::Offset;
  using Column = typename T::Column;
  using X = typename T::X;
  constexpr int r = plan.r, team = teamThreads<X>();
  constexpr bool isGeneral = plan.lanes == kAsArgument;
  static_assert(r >= 1 && r <= 8 && plan.c >= 1 && plan.c <= 8);
  static_assert(isGeneral || (plan.lanes >= 1 && plan.lanes * team <= 32 &&
                              (plan.lanes & (plan.lanes - 1)) == 0));
  static_assert(plan.full || r * plan.c <= 8 * sizeof(Mask));
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);

  const unsigned worker = threadIdx.x / team;
  const int laneBits = isGeneral ? a.laneBits : bcsrLaneBits(plan.lanes), lanes = 1 << laneBits;
  const int laneOfRow = int(worker) & (lanes - 1);
  const Offset blockRow =
      Offset(blockIdx.x) * (plan.blockThreads / team >> laneBits) + Offset(worker >> laneBits);
  const Offset row = blockRow * r;
  // A group after the last row has no blocks; it stays, since all lanes must take part in the sums.
  const bool live = row < a.rows;
  BcsrLane<Offset, Column> lane = {};
  lane.lane = worker % 32;
  if (live) {
    lane.start = loadReused(a.sliceStart + (blockRow >> (5 - laneBits)));
    const Column blocks = (loadReused(a.blocks + blockRow) - laneOfRow + lanes - 1) >> laneBits;
    lane.pieces = blocks * (plan.c / bcsrColumns<plan, typename T::Value>());
  }
  if constexpr (sizeof(Local) == 2)
    lane.origin = Column(row / plan.c) - (1 << 15);

  SumOf<X> sum[r] = {};
  if constexpr (BlocksHaveCodes<typename T::Values>::kDo)
    bcsrSumsByCodes<plan>(a, lane, sum);
  else
    bcsrSums<plan>(a, lane, sum);
  if constexpr (isGeneral)
    groupSums(sum, lanes * team, team);
#pragma unroll
  for (int i = 0; i < r; ++i) {
    if constexpr (!isGeneral)
      sum[i] = groupSum<plan.lanes * team, team>(sum[i]);
    if (live && laneOfRow == 0 && (i == 0 || row + i < a.rows))
      storeResult<plan.readsY>(ofThread(a.y) + (row + i), a.alpha, sum[i], a.beta);
  }
}

} // namespace specmv
