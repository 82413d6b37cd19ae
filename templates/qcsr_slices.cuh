// QCSR with slices, a sliced ELL inside the tiles of Zhang et al. 2013. The row segments of a d x d
// tile are sorted by length, 32 of them form a slice, and one lane works on a segment. A slice is
// stored column by column, so that a warp's reads are coalesced. Columns are counted from the
// tile's first. If x is staged, the tiles of a chunk begin at the chunk's first column; in a band
// matrix, most chunks then have a single tile.
#pragma once
#include "shared/qcsr_tile.cuh"

namespace specmv {

struct QcsrSlicesPlan {
  int blockThreads;
  Int64 d;     // tile size
  int rows;    // rows of a chunk, which belongs to a warp or, if x is staged, to a block
  int batch;   // the most lines of a batch
  bool stage;  // the part of x that a tile needs is copied to shared memory
  int window;  // the most columns of such a part, or kAsArgument
  bool readsY; // false: beta is 0 in every product
};

// A line is a column of a slice: 32 slots, one for each lane. A batch consists of consecutive lines
// of one tile whose loads are issued together. A stream consists of the batches that one warp adds
// one after another: all those of a chunk or, if x is staged, the warp's share of a tile of the
// chunk.
template <class T, class Local, class Row, class Word> struct QcsrSlicesArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  using Column = typename T::Column;
  using Values = typename T::Values;
  using RowType = Row;
  const Offset *streamBatch = nullptr; // streams + 1: the first batch
  const Offset *streamLine = nullptr;  // streams + 1: the first line
  const Offset *streamRows = nullptr;  // streams + 1: the start of its part of sliceRows, / 32
  // Number of the tile << 12 | number of lines << 8 | ends: bit i is set if line i is the last of a
  // slice.
  Streamed<Column> batch = {};
  // The row of each lane, counted from the first of the chunk, slice by slice. A word has the rows
  // of sizeof(Word) / sizeof(Row) slices, the first in its low bits. There are 32 words for this
  // many slices, and 64 more at the end. The lanes of a slice have different rows.
  Streamed<Word> sliceRows = {};
  // 32 per line: the column, counted from the tile's first, or d for padding. If x is staged, it is
  // counted from the first column that the chunk reads in the tile, and `window` is padding.
  Streamed<Local> local = {};
  Values val = {}; // 32 per line
  // If x is staged:
  const Offset *chunkTiles = nullptr; // chunks + 1: the tiles of a chunk, by ascending column
  int window = 0;                     // the plan's, if it is not a constant
  const Column *tileFirst = nullptr;  // the first column of x that a chunk reads in a tile,
  const Column *tileEnd = nullptr;    // and the one after the last
  typename T::X x = {};
  typename T::Y y = {};
  Value alpha = 0, beta = 0;
  Offset rows = 0;
};

template <QcsrSlicesPlan plan, class Args>
__device__ __forceinline__ int qcsrWindow(const Args &a) {
  return plan.window == kAsArgument ? a.window : plan.window;
}

// The rows of one lane's segments, taken slice by slice. A word is loaded long before its rows are
// needed, so that a lane does not wait for memory at the end of a slice.
template <class Row, class Word> class QcsrRows {
public:
  __device__ __forceinline__ explicit QcsrRows(const Streamed<Word> &first)
      : ahead_(first + 64), now_(loadOnce(first)), next_(loadOnce(first + 32)) {}
  __device__ __forceinline__ Row take() {
    const Row row = Row(now_);
    const bool isLast = --left_ == 0;
    now_ = isLast ? unsigned(next_) : now_ >> 8 * sizeof(Row);
    // next_ is loaded in place: copying it after the load would have to wait for the load.
    next_ = loadOnceIf(isLast, ahead_, next_);
    ahead_ = ahead_ + (isLast ? 32 : 0);
    left_ = isLast ? kPerWord : left_;
    return row;
  }

private:
  enum : int { kPerWord = sizeof(Word) / sizeof(Row) };
  Streamed<Word> ahead_;
  unsigned now_;
  Word next_;
  int left_ = kPerWord;
};

// The state of one warp in its stream. The local columns of a batch are loaded while the previous
// batch is added, so that a batch waits for memory only once: for its values and for x.
template <QcsrSlicesPlan plan, class Args> class QcsrStream {
  using Offset = typename Args::Offset;
  using Value = typename Args::Value;

public:
  __device__ __forceinline__ QcsrStream(const Args &a, Offset stream)
      : batch_(a.batch + loadReused(a.streamBatch + stream)),
        line_(loadReused(a.streamLine + stream)), end_(loadReused(a.streamLine + stream + 1)),
        local_(a.local + line_ * 32 + threadIdx.x % 32),
        val_(a.val + line_ * 32 + threadIdx.x % 32),
        rows_(a.sliceRows + loadReused(a.streamRows + stream) * 32 + threadIdx.x % 32),
        padding_(plan.stage ? qcsrWindow<plan>(a) : int(plan.d)) {
    loadLocals<false>();
  }

  // Adds the stream to the sums of the chunk's rows. `source` is x or, if x is staged, the window
  // in shared memory.
  __device__ __forceinline__ void addTo(Value *sums, const Value *source) {
    Value sum = 0;
    while (line_ < end_)
      if ((word_ >> kQcsrLinesBit & kQcsrLinesMask) == plan.batch && line_ + 2 * plan.batch <= end_)
        addBatch<true>(sums, source, sum);
      else
        addBatch<false>(sums, source, sum);
  }

private:
  // The form in which a lane keeps an element of x until it is added. It is the value if x is in
  // global memory. If x is staged, it is the place in the window, which needs fewer registers. The
  // window has a 0 for padding.
  __device__ __forceinline__ static auto held(bool wanted, const Value *tile, int local) {
    if constexpr (plan.stage)
      return local; // unwanted lines have padding here
    else
      return loadReusedIf(wanted && local < plan.d, tile + local);
  }
  template <class Held>
  __device__ __forceinline__ static Value element(const Value *tile, Held held) {
    if constexpr (plan.stage)
      return tile[held];
    else
      return held;
  }

  // Adds the next batch. `whole` promises that it has plan.batch lines and that at least as many
  // lines follow: its loads then need no condition.
  template <bool whole>
  __device__ __forceinline__ void addBatch(Value *sums, const Value *source, Value &sum) {
    const auto word = word_;
    const int lines = whole ? plan.batch : int(word >> kQcsrLinesBit & kQcsrLinesMask);
    const Value *const tile = plan.stage ? source : source + Int64(word >> kQcsrTileBit) * plan.d;
    Stored val[plan.batch];
    decltype(held(true, tile, 0)) x[plan.batch];
#pragma unroll
    for (int i = 0; i < plan.batch; ++i) {
      val[i] = whole ? loadOnce(val_ + i * 32) : loadOnceIf(i < lines, val_ + i * 32, Stored(0));
      x[i] = held(whole || i < lines, tile, locals_[i]);
    }
    advance<whole>(lines);
#pragma unroll
    for (int i = 0; i < plan.batch; ++i) {
      sum = multiplyAdd(val[i], element(tile, x[i]), sum);
      if (word >> i & 1) {
        sums[rows_.take()] += sum;
        sum = 0;
        __syncwarp(); // in the next slice, another lane may have this row
      }
    }
  }

  template <bool whole> __device__ __forceinline__ void advance(int lines) {
    batch_ = batch_ + 1;
    line_ += lines;
    val_ = val_ + lines * 32;
    local_ = local_ + lines * 32;
    loadLocals<whole>();
  }

  // Loads the local columns of the next batch; always plan.batch lines, even if the batch has
  // fewer.
  template <bool whole> __device__ __forceinline__ void loadLocals() {
    word_ = whole ? loadOnce(batch_) : loadOnceIf(line_ < end_, batch_, Column(0));
#pragma unroll
    for (int i = 0; i < plan.batch; ++i)
      locals_[i] = whole ? loadOnce(local_ + i * 32)
                         : loadOnceIf(line_ + i < end_, local_ + i * 32, Local(padding_));
  }

  using Column = typename Args::Column;
  using Local = decltype(loadOnce(Args::local));
  using Word = decltype(loadOnce(Args::sliceRows));
  using Stored = decltype(loadOnce(Args::val));
  Streamed<Column> batch_;
  Offset line_, end_;
  Streamed<Local> local_;
  typename Args::Values val_;
  QcsrRows<typename Args::RowType, Word> rows_;
  int padding_; // the local column of padding
  Column word_;
  Local locals_[plan.batch];
};

// Adds all tiles of a block's chunk. The block stages the part of x of one tile after another.
template <QcsrSlicesPlan plan, class Args, class Offset, class Value>
__device__ __forceinline__ void addStagedTiles(const Args &a, Offset chunk, Value *sums) {
  const int columns = qcsrWindow<plan>(a);
  SPECMV_DYNAMIC_SHARED_ARRAY(Value, window, columns + 1);
  if (threadIdx.x == 0)
    window[columns] = 0; // the factor of padding
  const Offset tileEnd = loadReused(a.chunkTiles + chunk + 1);
  for (Offset t = loadReused(a.chunkTiles + chunk); t < tileEnd; ++t) {
    QcsrStream<plan, Args> stream(a, t * (plan.blockThreads / 32) + threadIdx.x / 32);
    const auto first = loadReused(a.tileFirst + t), end = loadReused(a.tileEnd + t);
    // After this barrier, no thread works on the previous tile: its part of x may be overwritten,
    // and other warps may take its rows.
    __syncthreads();
    stageTile<plan.blockThreads>(a.x, first, end, window);
    waitForCopies();
    __syncthreads();
    stream.addTo(sums, window);
  }
  __syncthreads(); // the sums of all warps may now be stored by any thread
}

template <QcsrSlicesPlan plan, class T, class Local, class Row, class Word>
__device__ __forceinline__ void qcsrSlices(const QcsrSlicesArgs<T, Local, Row, Word> &a) {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.d >= 2 && (plan.d & (plan.d - 1)) == 0 && Local(plan.d) == plan.d);
  static_assert(plan.rows >= 32 && plan.rows % 32 == 0 && Row(plan.rows - 1) == plan.rows - 1);
  static_assert(plan.window == kAsArgument ||
                (plan.window <= plan.d && Local(plan.window) == plan.window));
  static_assert(plan.batch >= 1 && plan.batch <= 8);
  constexpr int owners = plan.stage ? 1 : plan.blockThreads / 32;
  constexpr int threads = plan.blockThreads / owners; // threads that own a chunk
  SPECMV_SHARED_ARRAY(Value, blockSums, owners * plan.rows);
  const int owner = plan.stage ? 0 : threadIdx.x / threads;
  const int thread = plan.stage ? threadIdx.x : threadIdx.x % threads;
  const Offset chunk = Offset(blockIdx.x) * owners + owner;
  Value *const sums = blockSums + owner * plan.rows;
  for (int r = thread; r < plan.rows; r += threads)
    sums[r] = 0;

  if constexpr (plan.stage) {
    addStagedTiles<plan>(a, chunk, sums);
  } else {
    __syncwarp(); // the warp owns its rows, so it need not wait for other warps
    QcsrStream<plan, QcsrSlicesArgs<T, Local, Row, Word>>(a, chunk).addTo(sums, a.x);
  }

  for (int r = thread; r < plan.rows; r += threads) {
    const Offset row = chunk * plan.rows + r;
    if (row < a.rows)
      storeResult<plan.readsY>(a.y + row, a.alpha, sums[r], a.beta);
  }
}

} // namespace specmv
