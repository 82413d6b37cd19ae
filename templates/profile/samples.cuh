// Counts the sampled properties: blocks, neighbours in groups of rows, the density of tiles, and
// lines of slices; and the spans of columns, from the ranges that profileEntries() leaves.
// features.cuh defines the samples. One launch does all of this, since each part alone would leave
// most of a GPU idle.
#pragma once
#include "profile/lines.cuh"
#include "profile/row_tile.cuh"
#include "setup/row_search.cuh"

namespace specmv {

template <class Index> struct ProfileSamplesArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Word64 *counts; // kProfileWords, then the ranges
  long long rows, cols, nnz, ranges;
  long long descents; // kDescents
  long long groups;   // sampledGroups()
  int parts;          // blocks that share a group of rows
  // The number of blocks of each part: first those of the groups, then of reuse, of tiles, of
  // lines, of spans.
  int groupBlocks, reuseBlocks, tileBlocks, lineBlocks;
  int lineParts; // blocks that share a window of rows
};

// evenlySpread() as a function of the device. Its divisions are 1.5 KB of code, which a plan must
// wait to load, and five places use it.
__device__ __noinline__ long long placeOfSample(long long k, long long parts, long long whole) {
  return evenlySpread(k, parts, whole);
}

// Returns true if rows ascend, so that columns descend only from row to row. Otherwise nothing is
// counted.
template <class Args> __device__ __forceinline__ bool isAscending(const Args &a) {
  return a.counts[kRowDescents] == static_cast<Word64>(a.descents);
}

enum : int { kLanesPerEntry = 8 }; // one for each row of a block

// Counts the blocks of which one entry is the first. Lane l of its lanes searches the row l above
// it, lane 0 the entries before it in its row; `counts` of lane r - 1 are those of blocks of r
// rows.
template <class Index>
__device__ __forceinline__ void countBlocks(const ProfileSamplesArgs<Index> &a, bool live,
                                            long long row, long long entry,
                                            unsigned (&counts)[kBlockSides]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanesPerEntry;
  unsigned touched = 0;
  if (live && lane <= row) {
    const long long above = row - lane;
    touched = touchedBlocks(a.csrCol, a.csrRowPtr[above],
                            lane == 0 ? entry : static_cast<long long>(a.csrRowPtr[above + 1]),
                            a.csrCol[entry]);
  }
  // Combines the blocks touched by this row and by the rows between it and the entry's.
#pragma unroll
  for (int step = 1; step < kLanesPerEntry; step *= 2) {
    const unsigned nearer = __shfl_up_sync(kFullMask, touched, step, kLanesPerEntry);
    if (lane >= step)
      touched |= nearer;
  }
  const int rowsAbove = static_cast<int>(row % (lane + 1));
  const unsigned inBlock = __shfl_sync(kFullMask, touched, rowsAbove, kLanesPerEntry);
#pragma unroll
  for (int c = 0; c < kBlockSides; ++c)
    counts[c] += live && (inBlock >> c & 1U) == 0;
}

// A few blocks per group; eight lanes per entry.
template <class Index>
__device__ __forceinline__ void profileGroups(const ProfileSamplesArgs<Index> &a, int block) {
  constexpr int together = kProfileBlock / int{kLanesPerEntry};
  SPECMV_SHARED_ARRAY(unsigned, blocks, kBlockSides *kBlockSides);
  SPECMV_SHARED_ARRAY(unsigned, widths, kReuseBins);
  SPECMV_SHARED_ARRAY(int, places, kSampledRows + 1); // of each row's sampled entries in the group
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kBlockSides * kBlockSides; i += kProfileBlock)
    blocks[i] = 0;
  if (thread < kReuseBins)
    widths[thread] = 0;
  const long long groups = (a.rows + kSampledRows - 1) / kSampledRows;
  const int part = block % a.parts;
  const long long firstRow = placeOfSample(block / a.parts, a.groups, groups) * kSampledRows;
  if (thread < 32) {
    const long long row = firstRow + thread;
    const bool live = thread < kSampledRows && row < a.rows;
    const int sampled = live ? static_cast<int>(min(rowLength(a.csrRowPtr, row),
                                                    static_cast<long long>(kSampledOfRow)))
                             : 0;
    const int upTo = warpScan(sampled);
    if (thread < kSampledRows)
      places[thread + 1] = upTo;
    if (thread == 0)
      places[0] = 0;
  }
  __syncthreads();

  unsigned counts[kBlockSides] = {};
  const int sampled = places[kSampledRows], lane = thread % kLanesPerEntry;
  for (int first = part * together; first < sampled; first += a.parts * together) {
    const int place = first + thread / kLanesPerEntry;
    const bool live = place < sampled;
    int inGroup = 0;
    while (live && places[inGroup + 1] <= place)
      ++inGroup;
    const long long row = firstRow + inGroup;
    const long long begin = live ? static_cast<long long>(a.csrRowPtr[row]) : 0;
    const long long entry = begin + place - places[inGroup];
    countBlocks(a, live, row, entry, counts);
    if (live && lane == 0) {
      const int width = nearestWidth(a.csrCol, begin, entry, a.csrCol[entry]);
      atomicAdd(widths + min(max(width, int{kNearEnough}), int{kReuseLevels}), 1U);
    }
  }
#pragma unroll
  for (int c = 0; c < kBlockSides; ++c)
    if (counts[c] > 0)
      atomicAdd(blocks + lane * kBlockSides + c, counts[c]);
  __syncthreads();
  if (thread < kBlockSides * kBlockSides && blocks[thread] > 0)
    atomicAdd(a.counts + kBlocks + thread, static_cast<Word64>(blocks[thread]));
  if (thread < kReuseBins && widths[thread] > 0)
    atomicAdd(a.counts + kReuse + thread, static_cast<Word64>(widths[thread]));
  if (thread == 0 && part == 0)
    atomicAdd(a.counts + kSampledInGroups, static_cast<Word64>(sampled));
}

// Returns the nearest distance of earlier entries in its group of rows to an entry. Called by one
// warp.
template <class Index>
__device__ __forceinline__ int nearestInGroup(const ProfileSamplesArgs<Index> &a, long long entry,
                                              int groupRows) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long row = warpRowOfEntry(a.csrRowPtr, a.rows, entry);
  const long long groupBegin = row / groupRows * groupRows;
  const long long column = a.csrCol[entry];
  int width = kNothingNear;
  if (lane == 0)
    width = nearestWidth(a.csrCol, static_cast<long long>(a.csrRowPtr[row]), entry, column);
  width = warpMin(width);
  for (long long above = row - 1; above >= groupBegin && width > kNearEnough; above -= 32) {
    const long long own = above - lane;
    int ownWidth = kNothingNear;
    if (own >= groupBegin)
      ownWidth = nearestWidth(a.csrCol, static_cast<long long>(a.csrRowPtr[own]),
                              static_cast<long long>(a.csrRowPtr[own + 1]), column);
    width = min(width, warpMin(ownWidth));
  }
  return width;
}

// One warp per sampled entry: first those of groups of 32 rows, then those of 256.
template <class Index>
__device__ __forceinline__ void profileReuse(const ProfileSamplesArgs<Index> &a, int block) {
  constexpr int size = kReuseGroups * int{kReuseBins};
  SPECMV_SHARED_ARRAY(unsigned, widths, size);
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < size; i += kProfileBlock)
    widths[i] = 0;
  __syncthreads();
  const long long narrow = sampledForReuse(reuseRows(1), a.nnz);
  const long long wide = sampledForReuse(reuseRows(2), a.nnz);
  const long long warps = static_cast<long long>(a.reuseBlocks) * (kProfileBlock / 32);
  for (long long own = static_cast<long long>(block) * (kProfileBlock / 32) + thread / 32;
       own < narrow + wide; own += warps) {
    const int group = own < narrow ? 1 : 2;
    const long long entry =
        group == 1 ? placeOfSample(own, narrow, a.nnz) : placeOfSample(own - narrow, wide, a.nnz);
    const int width = nearestInGroup(a, entry, group == 1 ? reuseRows(1) : reuseRows(2));
    if (thread % 32 == 0)
      atomicAdd(widths + group * kReuseBins + min(max(width, int{kNearEnough}), int{kReuseLevels}),
                1U);
  }
  __syncthreads();
  for (int i = thread; i < size; i += kProfileBlock)
    if (widths[i] > 0)
      atomicAdd(a.counts + kReuse + i, static_cast<Word64>(widths[i]));
}

// One warp per sampled tile, one lane per row of it.
template <class Index>
__device__ __forceinline__ void profileTiles(const ProfileSamplesArgs<Index> &a, int block) {
  static_assert(kTileRows == 32, "a lane looks at a row");
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int own = block * (kProfileBlock / 32) + static_cast<int>(threadIdx.x) / 32;
  const long long samples = min(a.nnz, static_cast<long long>(kTileSamples));
  const int level = own / kTileSamples, sample = own % kTileSamples;
  if (level >= kTileLevels || sample >= samples)
    return;
  const long long d = tileSize(level), entry = placeOfSample(sample, samples, a.nnz);
  const long long row = warpRowOfEntry(a.csrRowPtr, a.rows, entry);
  const long long firstRow = row / d * d, firstColumn = a.csrCol[entry] / d * d;
  const long long rows = min(d, a.rows - firstRow);
  const long long looked = min(rows, static_cast<long long>(kTileRows));
  long long entries = 0;
  if (lane < looked) {
    const long long at = firstRow + placeOfSample(lane, looked, rows);
    const long long begin = a.csrRowPtr[at], end = a.csrRowPtr[at + 1];
    entries = lowerBound(a.csrCol, begin, end, firstColumn + d) -
              lowerBound(a.csrCol, begin, end, firstColumn);
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    entries += __shfl_xor_sync(kFullMask, entries, step);
  if (lane == 0)
    atomicAdd(a.counts + kTiles + level * kDensityBins + densityBin(entries, looked * d),
              Word64(1));
}

// A block takes some ranges, one thread per range. Neighbouring ranges are then merged, up to the
// largest blocks of rows whose span is counted.
template <class Index>
__device__ __forceinline__ void profileSpans(const ProfileSamplesArgs<Index> &a, int block) {
  static_assert(kProfileBlock % int{kRangesPerSpan} == 0);
  SPECMV_SHARED_ARRAY(Word64, firsts, kProfileBlock);
  SPECMV_SHARED_ARRAY(Word64, lasts, kProfileBlock);
  SPECMV_SHARED_ARRAY(Word64, totals, kSpanSizes);
  SPECMV_SHARED_ARRAY(Word64, longest, kSpanSizes);
  const int thread = static_cast<int>(threadIdx.x);
  const long long at = static_cast<long long>(block) * kProfileBlock + thread;
  firsts[thread] = at < a.ranges ? rangeFirst(a)[at] : 0;
  lasts[thread] = at < a.ranges ? rangeLast(a)[at] : 0;
  if (thread < kSpanSizes)
    totals[thread] = longest[thread] = 0;
  __syncthreads();
  for (int size = 0; size < kSpanSizes; ++size) {
    const int step = 1 << size;
    if (thread % step == 0) {
      if (size > 0) {
        firsts[thread] = max(firsts[thread], firsts[thread + step / 2]);
        lasts[thread] = max(lasts[thread], lasts[thread + step / 2]);
      }
      if (lasts[thread] > 0) {
        const Word64 span = lasts[thread] - (static_cast<Word64>(a.cols) - firsts[thread]);
        atomicAdd(totals + size, span);
        atomicMax(longest + size, span);
      }
    }
    __syncthreads();
  }
  if (thread < kSpanSizes && totals[thread] > 0) {
    atomicAdd(a.counts + kSpanTotal + thread, totals[thread]);
    atomicMax(a.counts + kSpanLongest + thread, longest[thread]);
  }
}

template <class Index>
__device__ __forceinline__ void profileSamples(const ProfileSamplesArgs<Index> &a) {
  if (!isAscending(a))
    return;
  int block = static_cast<int>(blockIdx.x);
  if (block < a.groupBlocks)
    return profileGroups(a, block);
  block -= a.groupBlocks;
  if (block < a.reuseBlocks)
    return profileReuse(a, block);
  block -= a.reuseBlocks;
  if (block < a.tileBlocks)
    return profileTiles(a, block);
  block -= a.tileBlocks;
  if (block < a.lineBlocks) {
    const long long windows = (a.rows + kLineWindow - 1) / kLineWindow;
    const int sampled = a.lineBlocks / a.lineParts;
    return profileLines(a, placeOfSample(block / a.lineParts, sampled, windows) * kLineWindow,
                        block % a.lineParts, a.lineParts);
  }
  profileSpans(a, block - a.lineBlocks);
}

} // namespace specmv
