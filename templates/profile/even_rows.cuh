// Walks over the entries of a chunk whose rows are short or of similar length: some neighbouring
// lanes take a row, and all rows of a warp go in step. Rows with the diagonals of the warp's first
// row are counted together with it.
#pragma once
#include "profile/chunk.cuh"
#include "profile/diagonals.cuh"

namespace specmv {

// How many lanes take a row, as a power of two: as many as give each row of the chunk its lanes at
// once.
template <class Index> __device__ __forceinline__ int laneBitsOf(const Chunk<Index> &chunk) {
  int bits = 0;
  while (bits < 5 && (chunk.lastRow - chunk.firstRow + 1) << (bits + 1) <= kProfileBlock)
    ++bits;
  return bits;
}

// A row that takes more steps would hold up its warp for too long.
constexpr int kMostSteps = 32;

// Whether one of the thread's rows is too long.
template <class Index>
__device__ __forceinline__ bool hasLongRow(const ProfileEntriesArgs<Index> &a,
                                           const Chunk<Index> &chunk, int laneBits) {
  bool isLong = false;
  for (long long row = chunk.firstRow + threadIdx.x; row <= chunk.lastRow; row += kProfileBlock) {
    const RowPart part = partOf(a, chunk, row);
    isLong = isLong || part.end - part.first > kMostSteps << laneBits;
  }
  return isLong;
}

// The lanes of a warp, some neighbours a row.
struct RowLanes {
  int bits;

  __device__ __forceinline__ int lane() const { return static_cast<int>(threadIdx.x) % 32; }
  __device__ __forceinline__ int place() const { return lane() & ((1 << bits) - 1); }
  __device__ __forceinline__ int row() const { return lane() >> bits; }
  __device__ __forceinline__ int rows() const { return 32 >> bits; }
  // All lanes of a row, which is that of this lane.
  __device__ __forceinline__ unsigned ofRow(int first) const {
    return (kFullMask >> (32 - (1 << bits))) << first;
  }
};

// Counts the diagonals of a row's part as those of so many rows; by all lanes of a warp. False if
// there are more diagonals than are counted, in the lanes that find it.
template <class Index>
__device__ __forceinline__ bool addDiagonals(const DiagonalTable &table, const Chunk<Index> &chunk,
                                             int first, int end, int row, unsigned rows) {
  bool isCounted = true;
  for (int local = first + static_cast<int>(threadIdx.x) % 32; local < end && isCounted;
       local += 32)
    isCounted = table.add(difference(static_cast<int>(chunk.col(local)), row), rows);
  return isCounted;
}

// Counts the diagonals of a warp's rows. `likeFirst` has the lanes whose entries have the diagonals
// of those of the first row: such rows are counted together with it, the others one by one. Returns
// whether there are more diagonals than are counted, the same in all lanes.
template <class Index>
__device__ __forceinline__ bool addRowDiagonals(const DiagonalTable &table,
                                                const Chunk<Index> &chunk, const RowLanes &lanes,
                                                const RowPart &part, int row, unsigned likeFirst) {
  const int ownFirst = lanes.lane() - lanes.place();
  const bool isLike = (~likeFirst & lanes.ofRow(ownFirst)) == 0;
  const unsigned leaders = __ballot_sync(kFullMask, lanes.place() == 0);
  const unsigned like = __ballot_sync(kFullMask, isLike) & leaders;
  const unsigned filled = __ballot_sync(kFullMask, part.first < part.end) & leaders;
  // The first row, then those that are not like it.
  bool isFull = false;
  for (unsigned left = (filled & ~like) | (filled & 1U); left != 0 && !isFull; left &= left - 1) {
    const int from = __ffs(static_cast<int>(left)) - 1;
    const int first = __shfl_sync(kFullMask, part.first, from);
    const int end = __shfl_sync(kFullMask, part.end, from);
    const int at = __shfl_sync(kFullMask, row, from);
    const auto rows = from == 0 ? static_cast<unsigned>(__popc(like)) : 1U;
    const bool isCounted = addDiagonals(table, chunk, first, end, at, rows);
    isFull = __ballot_sync(kFullMask, !isCounted) != 0;
  }
  return isFull;
}

// The walk, by all threads of a block. `many` and the result, which are the same in all lanes of a
// warp, tell that there are more diagonals than are counted.
template <class Index>
__device__ __forceinline__ bool
walkEvenRows(const ProfileEntriesArgs<Index> &a, const Chunk<Index> &chunk, int laneBits,
             const DiagonalTable &table, bool many, EntriesFound &found) {
  const RowLanes lanes{laneBits};
  const int warp = static_cast<int>(threadIdx.x) / 32;
  for (long long first = chunk.firstRow + warp * lanes.rows(); first <= chunk.lastRow;
       first += kProfileBlock >> laneBits) {
    const long long row = first + lanes.row();
    const RowPart part = row <= chunk.lastRow ? partOf(a, chunk, row) : RowPart{};
    const int own = part.end - part.first - lanes.place();
    const int mine = own > 0 ? ((own - 1) >> laneBits) + 1 : 0;
    const auto steps = static_cast<int>(warpMax(static_cast<unsigned>(mine)));
    Word64 terms = 0;
    bool isLike = true; // the first row has the lane's diagonals
    int local = part.first + lanes.place();
    for (int step = 0; step < steps; ++step, local += 1 << laneBits) {
      int offset = DiagonalTable::kFree;
      if (step < mine) {
        const Index col = chunk.col(local);
        terms += columnTerm(col);
        offset = difference(static_cast<int>(col), static_cast<int>(row));
      }
      const int ofFirst = __shfl_sync(kFullMask, offset, lanes.place());
      isLike = isLike && offset == ofFirst;
    }
    if (!many)
      many = addRowDiagonals(table, chunk, lanes, part, static_cast<int>(row),
                             __ballot_sync(kFullMask, isLike));
    for (int step = 1; step < 1 << laneBits; step *= 2)
      terms += __shfl_xor_sync(kFullMask, terms, step);
    RowRange range{0, 0};
    if (lanes.place() == 0 && part.first < part.end)
      range = lookAtRow(a, chunk, row, part, terms, found);
    addRanges(a, first, row, range);
  }
  return many;
}

} // namespace specmv
