// Column tiles: x from shared memory. The columns are divided into tiles whose part of x fits the
// shared memory of a block. Entries are sorted by tile and then by row, and columns are counted
// from the first of the tile, in 16 bits. A block stays on its SM: it copies a tile of x once and
// multiplies its share of the tile's entries, then those of the next tile if its share reaches so
// far. All blocks have about the same work, and so do the warps of a block; work is counted for
// entries and for rows that end.
//
// The rows of a tile have at least one entry each; a row without entries gets one of padding. So
// rows are numbered without gaps, row r of tile t as t rows + r, and the kernel reads no numbers of
// rows. If there is one tile, the kernel stores y. Otherwise it stores the sum of each row of each
// tile, and ctileSums() adds these up.
//
// A batch is 256 entries, 8 in a row for each lane of a warp. Bits mark the entries that are the
// last of their row. Example: a warp of 4 lanes instead of 32, 2 entries of a lane instead of 8;
// p0, p1, ... are products, | is the end of a row.
//            lane 0   lane 1   lane 2   lane 3    ends: bits, rows that end in the lanes before
//   batch 0  p0 p1    p2|p3    p4 p5    p6 p7     00 0, 01 0, 00 1, 00 1
//   batch 1  p8 p9    p10 p11| p12|p13| p14 p15   00 0, 10 0, 11 1, 00 3
// Batch 0: row 0 ends in lane 1, with p0 + p1 + p2. Each lane keeps its part of row 1, which is
// open: p3, p4 + p5 and p6 + p7 of lanes 1 to 3. Batches without ends only add to these parts.
// Batch 1: row 1 ends in lane 1; one sum over the warp gives it all parts. Rows 2 and 3 end too, so
// a scan over the lanes adds what earlier lanes have of row 2, here nothing.
#pragma once
#include "shared/operands.cuh"
#include "shared/parts.cuh"

namespace specmv {

struct CtilePlan {
  int blockThreads;
  int columns; // the most columns of a tile, or kAsArgument
  bool readsY; // false: beta is 0 in every product
};

template <class T> struct CtileArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  // A piece is the part of a tile that a block works on.
  const int *blockPiece;                 // blocks + 1: the first piece
  const typename T::Column *pieceColumn; // the first column of the tile
  const int *shareBatch;                 // by piece and warp, and one more: the first batch
  const Offset *shareRow;                // the same: the row of its first entry
  Streamed<Int16> ends;   // by lane: bit i is set if entry i is the last of its row; above these 8
                          // bits, the number of rows that end in the batch before the lane
  Streamed<Int16> local;  // the column of each entry in the tile, or the plan's columns for padding
  typename T::Values val; // entry i of lane l is at 32 i + l of its batch
  const Value *x;
  typename T::Y y;                // by tile and row, unless there is one tile
  Value alpha = 1, beta = 0;      // of one tile
  Offset rows;                    // of all tiles
  typename T::Column cols, width; // of the matrix, of a tile
  // Fields of OpenRows.
  const unsigned *openFirst, *openLast;
  WordOf<Value> *partialSums;
  unsigned *arrivals;
  int columns = 0; // of the plan, if they are not a constant
};

// One warp's share of a piece. The entries of the next batch are loaded while this one is added.
template <CtilePlan plan, class Args> class CtileShare {
  using Offset = typename Args::Offset;
  using Value = typename Args::Value;

public:
  __device__ __forceinline__ CtileShare(const Args &a, int begin, int end, Offset row)
      : args_(a), next_(begin), end_(end), row_(row) {
    loadLocals();
    const auto val = nextValues();
#pragma unroll
    for (int i = 0; i < kCtileEntries; ++i)
      val_[i] = loadOnceIf(next_ < end_, val + i * 32, Stored(0));
  }

  __device__ __forceinline__ void add(const Value *window) {
    while (next_ < end_) {
      const int ends = ends_ & kCtileEndMask;
      if (__ballot_sync(kFullMask, ends != 0) == 0)
        addBatch<0>(window);
      else if (__ballot_sync(kFullMask, (ends & (ends - 1)) != 0) == 0)
        addBatch<1>(window);
      else
        addBatch<kCtileEntries>(window);
    }
  }

  // The sum of the first row that ended, in lane 0, and that of the row that is open.
  __device__ __forceinline__ Value head() const { return head_; }
  __device__ __forceinline__ Value tail() const { return groupSum<32>(open_); }

private:
  using Stored = decltype(loadOnce(Args::val));

  __device__ __forceinline__ void loadLocals() {
    if (next_ < end_) {
      const Int64 at = Int64(next_) * 32 + threadIdx.x % 32;
      ends_ = loadOnce(args_.ends + at);
      locals_ = loadOnce(widened<uint4>(args_.local) + at);
    }
  }
  __device__ __forceinline__ auto nextValues() const {
    return args_.val + (Int64(next_) * kCtileBatch + threadIdx.x % 32);
  }

  __device__ __forceinline__ void store(Offset row, Value sum) const {
    storeResult<plan.readsY>(args_.y + row, args_.alpha, sum, args_.beta);
  }

  // At most `most` rows end in a lane. There is no branch if that is 0 or 1.
  template <int most> __device__ __forceinline__ void addBatch(const Value *window) {
    const unsigned words[] = {locals_.x, locals_.y, locals_.z, locals_.w};
    const int ends = ends_ & kCtileEndMask, before = ends_ >> kCtileEntries;
    ++next_;
    loadLocals();
    const auto val = nextValues();

    Value sum = most == 0 ? open_ : Value(0), first = 0;
    int ended = before;
#pragma unroll
    for (int i = 0; i < kCtileEntries; ++i) {
      const unsigned column = i % 2 == 0 ? words[i / 2] & 0xffff : words[i / 2] >> 16;
      sum = multiplyAdd(val_[i], window[column], sum);
      val_[i] = loadOnceIf(next_ < end_, val + i * 32, val_[i]);
      const bool isEnd = most > 0 && ends >> i & 1;
      if (most == 1) {
        first = isEnd ? sum : first;
        sum = isEnd ? Value(0) : sum;
      } else if (isEnd) {
        // Lanes before this one may have a part of the first row.
        if ((ends & ((1 << i) - 1)) == 0)
          first = sum;
        else
          store(row_ + ended, sum);
        ++ended;
        sum = 0;
      }
    }
    if constexpr (most == 0)
      open_ = sum;
    else
      closeRows(ends, before, most == 1 ? before + (ends != 0) : ended, first, sum);
  }

  // Stores the first row that ends in each lane. `ended` rows end in the batch up to this lane;
  // `sum` is this lane's part of the row that is open after them.
  __device__ __forceinline__ void closeRows(int ends, int before, int ended, Value first,
                                            Value sum) {
    const int lane = threadIdx.x % 32;
    const unsigned lanes = __ballot_sync(kFullMask, ends != 0);
    const int firstLane = __ffs(int(lanes)) - 1, lastLane = 31 - __clz(int(lanes));
    const Value part = lane < firstLane ? sum : lane == firstLane ? first : Value(0);
    const Value whole = groupSum<32>(open_ + part);
    if (lane == 0) {
      // Earlier warps may have a part of the first row of the share.
      if (hasEnded_)
        store(row_, whole);
      else
        head_ = whole;
    }
    if (firstLane < lastLane) {
      const Value below = __shfl_up_sync(kFullMask, runScan(ended, sum), 1);
      if (ends != 0 && lane > firstLane)
        store(row_ + before, below + first);
    }
    open_ = lane >= lastLane ? sum : Value(0);
    row_ += __shfl_sync(kFullMask, ended, 31);
    hasEnded_ = true;
  }

  const Args &args_;
  int next_, end_; // batches, of which there are few enough for an int
  Offset row_;     // that is open
  int ends_ = 0;
  uint4 locals_{};
  Stored val_[kCtileEntries];
  Value open_ = 0; // this lane's part of the open row
  Value head_ = 0;
  bool hasEnded_ = false;
};

// Copies `count` values of x to shared memory, 16 bytes at a time where both are aligned so. All
// threads of the block must call this, and waitForCopies() before the next barrier.
template <int blockThreads, class Value>
__device__ __forceinline__ void stageColumns(const Value *x, int count, Value *to) {
  constexpr int each = sizeof(uint4) / sizeof(Value);
  const auto isAligned = [](const void *p) {
    return reinterpret_cast<unsigned long long>(p) % sizeof(uint4) == 0;
  };
  const int whole = isAligned(x) && isAligned(to) ? count / each : 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < whole; i += blockThreads)
    copyAsync(reinterpret_cast<uint4 *>(to) + i, reinterpret_cast<const uint4 *>(x) + i);
#pragma unroll 1
  for (int i = whole * each + int(threadIdx.x); i < count; i += blockThreads)
    copyAsync(to + i, x + i);
}

template <CtilePlan plan, class T> __device__ __forceinline__ void ctile(const CtileArgs<T> &a) {
  using Value = typename T::Value;
  using Column = typename T::Column;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert((plan.columns >= 1 && plan.columns <= kCtileMostColumns) ||
                plan.columns == kAsArgument);
  constexpr int warps = plan.blockThreads / 32;
  const int columns = plan.columns == kAsArgument ? a.columns : plan.columns;
  SPECMV_DYNAMIC_SHARED_ARRAY(Value, window, columns + 1);
  SPECMV_SHARED_ARRAY(Value, heads, warps);
  SPECMV_SHARED_ARRAY(Value, tails, warps);
  letNextBegin();

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const OpenRows<Value> rows{a.openFirst, a.openLast, a.partialSums, a.arrivals};
  const int firstPiece = loadReused(a.blockPiece + blockIdx.x),
            lastPiece = loadReused(a.blockPiece + blockIdx.x + 1) - 1;
  if (threadIdx.x == 0)
    window[columns] = 0; // the factor of padding
#pragma unroll 1
  for (int piece = firstPiece; piece <= lastPiece; ++piece) {
    const int share = piece * warps;
    CtileShare<plan, CtileArgs<T>> own(a, loadReused(a.shareBatch + share + warp),
                                       loadReused(a.shareBatch + share + warp + 1),
                                       loadReused(a.shareRow + share + warp));
    const Column column = loadReused(a.pieceColumn + piece);
    stageColumns<plan.blockThreads>(
        a.x + column, int(a.cols - column < a.width ? a.cols - column : a.width), window);
    waitForCopies();
    __syncthreads();
    own.add(window);
    const Value tail = own.tail();
    if (lane == 0)
      heads[warp] = own.head(), tails[warp] = tail;
    __syncthreads(); // other warps may now stage the next tile
    if (warp > 0)
      continue;
    // Rows may only be open at the ends of the block, since none is open between two tiles.
    OpenRow open = rows.ofLane();
    if (piece != (lane == 0 ? firstPiece : lastPiece))
      open = {};
    mergeParts<plan.readsY, warps>(
        a, a.y, loadReused(a.shareRow + share + (lane < warps ? lane : warps)),
        loadReused(a.shareRow + share + (lane < warps ? lane + 1 : warps)), rows, open, heads,
        tails);
  }
}

// --- The sums of several tiles

struct CtileSumsPlan {
  int blockThreads;
  bool readsY;
};

template <class T> struct CtileSumsArgs {
  using Value = typename T::Value;
  const Value *sums; // by tile and row
  typename T::Y y;
  Value alpha, beta;
  typename T::Offset rows, tiles;
};

// Adds up the sums of a row, tile by tile; one thread for each row.
template <CtileSumsPlan plan, class T>
__device__ __forceinline__ void ctileSums(const CtileSumsArgs<T> &a) {
  using Value = typename T::Value;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  const Int64 row = Int64(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (row >= a.rows)
    return;
  Value sum = 0;
  for (Int64 tile = 0; tile < a.tiles; tile += kCtileSumsBatch) {
    Value part[kCtileSumsBatch];
#pragma unroll
    for (int k = 0; k < kCtileSumsBatch; ++k)
      part[k] = loadOnceIf(tile + k < a.tiles, a.sums + (tile + k) * a.rows + row, Value(0));
#pragma unroll
    for (const Value one : part)
      sum += one;
  }
  storeResult<plan.readsY>(a.y + row, a.alpha, sum, a.beta);
}

} // namespace specmv
