// Walks over all rows for distances, bandwidth and ranges of columns, and over their entries for
// the diagonals, as long as there may be few. A block takes a run of neighbouring rows, a warp 32
// of them at a time. Their entries are contiguous, so lanes take them in order, however long the
// rows are.
#pragma once
#include "profile/diagonals.cuh"
#include "profile/row_tile.cuh"

namespace specmv {

// The number of entries per lane that are loaded together.
enum : int { kEntriesTogether = 4 };

// Adds the diagonals of the entries of a warp's rows. `places` is shared memory of the warp for 32
// numbers. Returns false if there are more diagonals than are counted.
template <class Index>
__device__ __forceinline__ bool addDiagonals(const ProfileEntriesArgs<Index> &a, const TileRow &own,
                                             int *places, const DiagonalTable &table) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool hasEntries = own.end > own.begin;
  const unsigned upToLane = (2U << lane) - 1;
  const unsigned nonEmpty = __ballot_sync(kFullMask, hasEntries);
  if (hasEntries)
    places[__popc(nonEmpty & upToLane) - 1] = own.row;
  __syncwarp();
  const int end = __shfl_sync(kFullMask, own.end, 31);
  int before = -1; // the number, among the rows with entries, of the row in which the window begins
  bool few = true;
#pragma unroll 1
  for (int first = __shfl_sync(kFullMask, own.begin, 0); first < end;
       first += 32 * kEntriesTogether) {
    int cols[kEntriesTogether];
#pragma unroll
    for (int i = 0; i < kEntriesTogether; ++i)
      cols[i] = first + 32 * i + lane < end ? static_cast<int>(a.csrCol[first + 32 * i + lane]) : 0;
#pragma unroll 1
    for (int window = first; window < min(end, first + 32 * kEntriesTogether);
         window += 32, dropFirst(cols)) {
      const auto start = static_cast<unsigned>(own.begin - window);
      const unsigned starts = warpOr(hasEntries && start < 32 ? 1U << start : 0U);
      const int row = before + __popc(starts & upToLane);
      before += __popc(starts);
      if (window + lane < end && few)
        few = table.add(difference(cols[0], places[row]));
    }
    if (__ballot_sync(kFullMask, !few))
      return false;
  }
  __syncwarp(); // all lanes have read the places
  return true;
}

// Adds the results of a block's threads to the counts of the matrix, through shared memory.
__device__ __forceinline__ void addFound(Word64 *counts, Word64 *sums, const ReachFound &found) {
  const int thread = static_cast<int>(threadIdx.x);
  addByWarp(sums, found.distSum);
  addByWarp(sums + 1, static_cast<Word64>(found.descents));
  const unsigned bandwidth = warpMax(found.bandwidth);
  if (thread % 32 == 0)
    atomicMax(sums + 2, static_cast<Word64>(bandwidth));
  __syncthreads();
  if (thread < 2 && sums[thread] > 0)
    atomicAdd(counts + kDistSum + thread, sums[thread]);
  if (thread == 2)
    atomicMax(counts + kBandwidth, sums[2]);
}
static_assert(kRowDescents == kDistSum + 1, "addFound() adds two neighbours");

template <class Index>
__device__ __forceinline__ void profileEntries(const ProfileEntriesArgs<Index> &a) {
  constexpr int warps = kEntriesBlock / 32;
  SPECMV_SHARED_ARRAY(int, offsets, kDiagonalSlots);
  SPECMV_SHARED_ARRAY(unsigned, offsetCounts, DiagonalTable::kCounts);
  SPECMV_SHARED_ARRAY(int, flags, 2); // diagonals in the table; whether there are too many
  SPECMV_SHARED_ARRAY(Word64, sums, 3);
  SPECMV_SHARED_ARRAY(int, places, warps * 32);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  for (int i = thread; i < kDiagonalSlots; i += kEntriesBlock)
    offsets[i] = DiagonalTable::kFree;
  for (int i = thread; i < DiagonalTable::kCounts; i += kEntriesBlock)
    offsetCounts[i] = 0;
  if (thread < 2)
    flags[thread] = thread == 1 && loadRelaxed(a.counts + kManyDiagonals) != 0;
  if (thread < 3)
    sums[thread] = 0;
  __syncthreads();

  const DiagonalTable table{offsets, offsetCounts, flags};
  ReachFound found{};
  const long long begin = static_cast<long long>(blockIdx.x) * a.rangesPerBlock;
  const long long end = min(begin + a.rangesPerBlock, a.ranges);
  for (long long range = begin + warp; range < end; range += warps) {
    const TileRow own = tileRowOf(a, range);
    addReach(a, range, own, found);
    const bool areMany = loadRelaxed(flags) > kCountedDiagonals || loadRelaxed(flags + 1) != 0 ||
                         own.end - own.begin > kCountedDiagonals;
    if ((__ballot_sync(kFullMask, areMany) != 0 ||
         !addDiagonals(a, own, places + warp * 32, table)) &&
        thread % 32 == 0)
      atomicOr(flags + 1, 1);
  }
  __syncthreads();
  addFound(a.counts, sums, found);
  table.addTo(a.counts, flags[0] > kCountedDiagonals || flags[1] != 0);
}

} // namespace specmv
