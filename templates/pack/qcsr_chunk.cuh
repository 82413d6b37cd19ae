// Cuts a chunk of QCSR's rows at the borders of tiles, tile by tile, and distributes the slices of
// a tile over warps; a team of threads does this. Counting and filling both repeat it, since
// keeping the segments in between would take a third of the memory of the matrix.
#pragma once
#include "pack/qcsr_sizes.cuh"
#include "setup/block.cuh"
#include "setup/sort.cuh"

namespace specmv {

// The threads that work on a chunk: a warp if a row within the chunk fits in a byte, otherwise a
// block.
template <class Row> struct QcsrTeam {
  enum : bool { kIsWarp = sizeof(Row) == 1 };
  enum : int {
    kRows = kIsWarp ? int{kQcsrWarpRows} : int{kQcsrBlockRows}, // the maximum
    kSlices = kRows / 32,                                       // the maximum per tile
    kThreads = kIsWarp ? 32 : int{kSetupBlock},
    kTeams = kSetupBlock / int{kThreads},
    // The number of elements in its shared memory.
    kWords = 2 * kRows + 4 * kSlices + 4 * 33 + 1,
    kParts = kIsWarp ? 1 : 3 * kThreads / 32,
  };
};

// The shared memory of a team.
struct QcsrMemory {
  unsigned *ends; // by row: the end of the part cut so far, counted from the chunk's first entry
  unsigned *keys; // by place: a segment of the tile
  unsigned *used; // bit r % 32 of word r / 32: row r has a segment in the tile
  // By slice of the tile: its first line within its stream; and the number of its stream plus, from
  // bit 5 on, its own number within the stream.
  unsigned *sliceLine, *slicePlace;
  unsigned *ordered; // the slices by stream
  // The start of each stream of the tile, counted from the tile's start; element 32 is the end.
  unsigned *lineAt, *batchAt, *wordAt, *sliceAt;
  unsigned *count; // number of segments of the tile
  Int64 *parts;    // for a minimum over the team
};

template <class Team>
__device__ __forceinline__ QcsrMemory qcsrMemoryIn(unsigned *words, Int64 *parts) {
  QcsrMemory m;
  m.ends = words;
  m.keys = m.ends + Team::kRows;
  m.used = m.keys + Team::kRows;
  m.sliceLine = m.used + Team::kSlices;
  m.slicePlace = m.sliceLine + Team::kSlices;
  m.ordered = m.slicePlace + Team::kSlices;
  m.lineAt = m.ordered + Team::kSlices;
  m.batchAt = m.lineAt + 33;
  m.wordAt = m.batchAt + 33;
  m.sliceAt = m.wordAt + 33;
  m.count = m.sliceAt + 33;
  m.parts = parts;
  return m;
}

enum : Int64 { kQcsrNone = 0x7fffffffffffffff }; // no tile, no column

// The minimum of each of three numbers over a team. All its threads must call it; their earlier
// writes to shared memory are visible after it.
template <class Team>
__device__ __forceinline__ void teamMin(Int64 (&v)[3], Int64 *parts, int thread) {
  constexpr int warps = Team::kThreads / 32;
  for (Int64 &one : v)
    for (int step = 16; step > 0; step /= 2)
      one = min(one, __shfl_xor_sync(kFullMask, one, step));
  teamSync<Team::kThreads>();
  if constexpr (warps > 1) {
    if (thread % 32 == 0)
      for (int i = 0; i < 3; ++i)
        parts[i * warps + thread / 32] = v[i];
    __syncthreads();
    for (int i = 0; i < 3; ++i)
      v[i] = parts[i * warps + thread % warps];
    for (Int64 &one : v)
      for (int step = warps / 2; step > 0; step /= 2)
        one = min(one, __shfl_xor_sync(kFullMask, one, step));
  }
}

// One chunk. A key is the difference of a segment's length from the longest that fits, followed by
// its row, so that the order of keys is the order of slices. The columns of all rows must ascend.
template <class Row, class Args> class QcsrChunkCut {
  using Team = QcsrTeam<Row>;
  const Args &a_;
  const QcsrMemory m_;
  const int thread_;
  const Int64 firstRow_;

public:
  __device__ __forceinline__ QcsrChunkCut(const Args &a, const QcsrMemory &m, int thread,
                                          Int64 chunk)
      : a_(a), m_(m), thread_(thread), firstRow_(chunk * a.chunkRows),
        begin(a.csrRowPtr[firstRow_]) {
    const Int64 left = a.rows - firstRow_;
    rows_ = left < a.chunkRows ? static_cast<int>(left) : a.chunkRows;
    Int64 v[3] = {kQcsrNone, kQcsrNone, kQcsrNone};
    for (int r = thread; r < a.chunkRows; r += Team::kThreads) {
      const Int64 first = r < rows_ ? a.csrRowPtr[firstRow_ + r] : begin;
      m.ends[r] = static_cast<unsigned>(first - begin);
      if (r < rows_ && first < a.csrRowPtr[firstRow_ + r + 1])
        v[0] = min(v[0], Int64(a.csrCol[first]));
    }
    if (thread == 0)
      *m.count = 0;
    teamMin<Team>(v, m.parts, thread);
    origin = a.stage ? v[0] : 0;
    next_ = v[0] == kQcsrNone ? kQcsrNone : (v[0] - origin) >> a.logD;
    if (a.csrRowPtr[firstRow_ + rows_] - begin > Int64(kFullMask)) {
      isUnfit = true;
      next_ = kQcsrNone;
    }
  }

  __device__ __forceinline__ bool hasNext() const { return next_ != kQcsrNone; }

  // Cuts the next tile, sorts its segments and deals its slices to its streams.
  __device__ __forceinline__ void cutNext(int rowsPerWord) {
    tile = next_;
    Int64 v[3] = {kQcsrNone, kQcsrNone, kQcsrNone};
    const int lane = thread_ % 32;
    for (int first = thread_ - lane; first < a_.chunkRows; first += Team::kThreads) {
      const unsigned length = cutRow(first + lane, v);
      const unsigned have = __ballot_sync(kFullMask, length > 0);
      unsigned place = 0;
      if (lane == 0) {
        m_.used[first / 32] = have;
        place = atomicAdd(m_.count, static_cast<unsigned>(__popc(have)));
      }
      place = __shfl_sync(kFullMask, place, 0) + below(have, lane);
      if (length > 0)
        m_.keys[place] = keyOf(length, first + lane);
    }
    teamMin<Team>(v, m_.parts, thread_);
    next_ = v[0];
    firstColumn = v[1];
    endColumn = -v[2];
    segments_ = static_cast<int>(*m_.count);
    slices = (segments_ + 31) / 32;
    sort();
    if (thread_ < 32) {
      addPadding();
      deal(rowsPerWord);
    }
    teamSync<Team::kThreads>();
  }

  __device__ __forceinline__ unsigned lengthOf(unsigned key) const {
    return longest() - (key >> a_.logRows);
  }
  __device__ __forceinline__ unsigned rowOf(unsigned key) const {
    return key & ((1U << a_.logRows) - 1U);
  }
  __device__ __forceinline__ unsigned widthOf(int slice) const {
    return lengthOf(m_.keys[slice * 32]);
  }

  const Int64 begin;                    // the chunk's first entry
  Int64 origin = 0;                     // the column at which the first tile begins
  Int64 tile = 0;                       // the last tile that was cut
  Int64 firstColumn = 0, endColumn = 0; // the chunk's columns in that tile
  int slices = 0;                       // the number of slices in that tile
  bool isUnfit = false;                 // true if this thread found something that does not fit

private:
  __device__ __forceinline__ unsigned longest() const { return (1U << (32 - a_.logRows)) - 1U; }
  __device__ __forceinline__ unsigned keyOf(unsigned length, int row) const {
    return (longest() - min(length, longest())) << a_.logRows | static_cast<unsigned>(row);
  }
  __device__ __forceinline__ static unsigned below(unsigned mask, int lane) {
    return static_cast<unsigned>(__popc(mask & ((1U << lane) - 1U)));
  }

  // Returns the length of a row's segment in the tile, 0 if it has none. `v` receives the row's
  // next tile, its segment's first column, and minus its end.
  __device__ __forceinline__ unsigned cutRow(int row, Int64 (&v)[3]) {
    if (row >= rows_)
      return 0;
    const auto *const col = a_.csrCol + begin;
    const unsigned at = m_.ends[row];
    const unsigned stop = static_cast<unsigned>(a_.csrRowPtr[firstRow_ + row + 1] - begin);
    if (at == stop)
      return 0;
    const Int64 first = col[at], limit = origin + ((tile + 1) << a_.logD);
    if (first >= limit) {
      v[0] = min(v[0], (first - origin) >> a_.logD);
      return 0;
    }
    const unsigned end = endBelow(col, at, stop, limit);
    m_.ends[row] = end;
    v[1] = min(v[1], first);
    v[2] = min(v[2], -(Int64(col[end - 1]) + 1));
    if (end < stop)
      v[0] = min(v[0], (Int64(col[end]) - origin) >> a_.logD);
    isUnfit |= end - at > longest();
    return end - at;
  }

  // Returns the first entry after `at` whose column is not below the limit; that of `at` is below
  // it. Most rows end in the tile in which they begin.
  template <class Index>
  __device__ __forceinline__ static unsigned endBelow(const Index *col, unsigned at, unsigned stop,
                                                      Int64 limit) {
    if (col[stop - 1] < limit)
      return stop;
    unsigned low = at + 1, high = stop - 1;
    while (low < high) {
      const unsigned middle = low + (high - low) / 2;
      if (col[middle] < limit)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  __device__ __forceinline__ void sort() {
    const int size = 1 << (32 - __clz(segments_ - 1));
    for (int i = segments_ + thread_; i < size; i += Team::kThreads)
      m_.keys[i] = kFullMask;
    sortKeys<Team::kThreads>(m_.keys, size, thread_);
    if (thread_ == 0)
      *m_.count = 0;
  }

  // Gives the lanes without a segment the first rows that have none in this tile. Called by one
  // warp.
  __device__ __forceinline__ void addPadding() {
    const int missing = slices * 32 - segments_;
    for (int word = 0, found = 0; found < missing; ++word) {
      const unsigned unused = ~m_.used[word];
      const int place = found + static_cast<int>(below(unused, thread_));
      if ((unused >> thread_ & 1) && place < missing)
        m_.keys[segments_ + place] = keyOf(0, word * 32 + thread_);
      found += __popc(unused);
    }
  }

  // Assigns the longest remaining slice to the stream with the fewest lines so far. Called by one
  // warp: lane i holds the number of lines of stream i % streams.
  __device__ __forceinline__ void deal(int rowsPerWord) {
    const int own = thread_ % a_.streams;
    unsigned lines = 0, number = 0;
    for (int s = 0; s < slices; ++s) {
      unsigned least =
          s < a_.streams ? static_cast<unsigned>(s) : lines << 5 | static_cast<unsigned>(own);
      if (s >= a_.streams)
        for (int step = a_.streams / 2; step > 0; step /= 2)
          least = min(least, __shfl_xor_sync(kFullMask, least, step));
      if (own != static_cast<int>(least & 31U))
        continue;
      if (thread_ == own) {
        m_.sliceLine[s] = lines;
        m_.slicePlace[s] = number << 5 | static_cast<unsigned>(own);
      }
      lines += widthOf(s);
      ++number;
    }
    const bool isStream = thread_ < a_.streams;
    place(m_.lineAt, isStream ? lines : 0);
    place(m_.batchAt, isStream ? (lines + kQcsrBatch - 1) / kQcsrBatch : 0);
    place(m_.sliceAt, isStream ? number : 0);
    const unsigned perWord = static_cast<unsigned>(rowsPerWord);
    place(m_.wordAt, isStream && a_.stage ? (number + perWord - 1) / perWord : 0);
  }

  __device__ __forceinline__ void place(unsigned *at, unsigned size) {
    const unsigned upTo = warpScan(size);
    at[thread_] = upTo - size;
    if (thread_ == 31)
      at[32] = upTo;
  }

  int rows_;     // of the chunk
  int segments_; // of the tile
  Int64 next_;   // the next tile
};

} // namespace specmv
