// Orders the rows of a square matrix by a breadth-first search over its pattern, level by level.
// The rows at the front of the search each claim the rows of their columns that were not met: the
// least place of a claimant counts. Then each row at the front appends what it has claimed, in the
// order of its entries. So the order is that of a search with a queue, whoever comes first.
//
// Nothing waits for the host between two levels: kernels find the bounds of the front in GPU
// memory. While few rows are at the front, one block goes through many levels; a front of more rows
// is left to the three kernels behind it, which do nothing otherwise.
#pragma once
#include "setup/block.cuh"

namespace specmv {

enum : int { kUnmet = 0x7fffffff };

// Finds the row from which the first search begins: the first one of the least length, which is two
// at least. `best` becomes the complement of a number with the length in its upper half and the row
// in its lower half, so that 0 stands for no row.
template <class Index> struct SearchRootArgs {
  const Index *csrRowPtr;
  unsigned long long *best; // 0 before the call
  long long rows;
};

template <class Index> __device__ __forceinline__ void searchRoot(const SearchRootArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(unsigned long long, held, kSetupBlock);
  unsigned long long best = 0;
  for (long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x; row < a.rows;
       row += static_cast<long long>(gridDim.x) * kSetupBlock)
    if (const long long length = rowLength(a.csrRowPtr, row); length >= 2)
      best = max(best, ~(static_cast<unsigned long long>(length) << 32 |
                         static_cast<unsigned long long>(row)));
  best = blockMax(best, held);
  if (threadIdx.x == 0 && best > 0)
    atomicMax(a.best, best);
}

// Begins a search: the first one at the row of `best`, the second one at the last row that the
// first one has met. Called by one thread.
struct SearchBeginArgs {
  const unsigned long long *best;
  int *queue, *state;
  int isSecond;
};

__device__ __forceinline__ void searchBegin(const SearchBeginArgs &a) {
  if (threadIdx.x > 0)
    return;
  if (a.isSecond)
    a.queue[0] = a.queue[a.state[kFrontEnd] - 1];
  else
    a.queue[0] = *a.best == 0 ? 0 : static_cast<int>(~*a.best & 0xffffffffULL);
  a.state[kFrontBegin] = a.state[kLevelsDone] = a.state[kFirstUnmet] = a.state[kSearchIsOver] = 0;
  a.state[kFrontEnd] = 1;
  a.state[kFrontNext] = -1;
}

// Only the root is met. A claim on a row that was met is less than the place of any later row.
struct SearchClearArgs {
  const int *queue;
  int *claims;
  long long rows;
};

__device__ __forceinline__ void searchClear(const SearchClearArgs &a) {
  const long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (row < a.rows)
    a.claims[row] = row == a.queue[0] ? -1 : kUnmet;
}

template <class Index> struct SearchArgs {
  const Index *csrRowPtr, *csrCol;
  int *queue;  // the rows in the order of the search
  int *claims; // for each row, the place of the row that met it
  int *state;
  long long *counts; // for each block, the rows that it meets
  int rows, visitsAll;
};

template <class Index>
__device__ __forceinline__ void claimRows(const SearchArgs<Index> &a, int place) {
  const int row = a.queue[place];
  for (Index e = a.csrRowPtr[row]; e < a.csrRowPtr[row + 1]; ++e) {
    int *const claim = a.claims + a.csrCol[e];
    if (loadRelaxed(claim) > place)
      atomicMin(claim, place);
  }
}

// Calls f with each row that the row at the place has claimed, once.
template <class Index, class F>
__device__ __forceinline__ void forClaimed(const SearchArgs<Index> &a, int place, const F &f) {
  const int row = a.queue[place];
  const Index begin = a.csrRowPtr[row], end = a.csrRowPtr[row + 1];
  for (Index e = begin; e < end; ++e) {
    const Index met = a.csrCol[e];
    bool isOwn = a.claims[met] == place;
    for (Index before = begin; isOwn && before < e; ++before)
      isOwn = a.csrCol[before] != met;
    if (isOwn)
      f(static_cast<int>(met));
  }
}

template <class Index>
__device__ __forceinline__ long long countClaimed(const SearchArgs<Index> &a, int place) {
  long long count = 0;
  forClaimed(a, place, [&](int /*row*/) { ++count; });
  return count;
}

// Appends what the rows at the places begin .. end - 1 have claimed, from the place `to` on.
// Returns the place behind it. All threads of the block must call this.
template <int threads, class Index>
__device__ __forceinline__ long long appendClaimed(const SearchArgs<Index> &a, int begin, int end,
                                                   long long to, long long (&warpSums)[33]) {
  for (int first = begin; first < end; first += threads) {
    const int place = first + static_cast<int>(threadIdx.x);
    const long long own = place < end ? countClaimed(a, place) : 0;
    long long total;
    long long at = to + blockScan<threads>(own, warpSums, total);
    if (own > 0)
      forClaimed(a, place, [&](int row) { a.queue[at++] = row; });
    to += total;
    __syncthreads();
  }
  return to;
}

// Meets the first row that was not met, if there is one, as the only row at the front. All threads
// of the block must call this.
template <class Index>
__device__ __forceinline__ int meetNext(const SearchArgs<Index> &a, int unmet, int end,
                                        int (&found)[1]) {
  for (; unmet < a.rows; unmet += kSearchThreads) {
    if (threadIdx.x == 0)
      found[0] = a.rows;
    __syncthreads();
    const int row = unmet + static_cast<int>(threadIdx.x);
    if (row < a.rows && a.claims[row] == kUnmet)
      atomicMin(&found[0], row);
    __syncthreads();
    const int next = found[0];
    __syncthreads();
    if (next == a.rows)
      continue;
    if (threadIdx.x == 0) {
      a.queue[end] = next;
      a.claims[next] = end - 1;
    }
    return next;
  }
  return a.rows;
}

// Takes over what the other kernels have met, and searches while few rows are at the front. Called
// by one block.
template <class Index> __device__ __forceinline__ void searchFew(const SearchArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  SPECMV_SHARED_ARRAY(int, found, 1);
  int begin = a.state[kFrontBegin], end = a.state[kFrontEnd], levels = a.state[kLevelsDone],
      unmet = a.state[kFirstUnmet], isOver = a.state[kSearchIsOver];
  const int next = a.state[kFrontNext];
  __syncthreads(); // before thread 0 stores the state
  if (isOver)
    return;
  if (next >= 0) {
    begin = end;
    end = next;
    ++levels;
  }
  for (int level = 0; level < kLevelsPerLaunch; ++level) {
    isOver = levels == kMostLevels || (begin == end && (end == a.rows || !a.visitsAll));
    if (isOver)
      break;
    if (begin == end) {
      unmet = meetNext(a, unmet, end, found);
      ++end;
      __syncthreads();
    }
    if (end - begin > kFewAtFront)
      break;
    for (int place = begin + static_cast<int>(threadIdx.x); place < end; place += kSearchThreads)
      claimRows(a, place);
    __syncthreads();
    const long long last = appendClaimed<kSearchThreads>(a, begin, end, end, warpSums);
    begin = end;
    end = static_cast<int>(last);
    ++levels;
  }
  if (threadIdx.x > 0)
    return;
  a.state[kFrontBegin] = begin;
  a.state[kFrontEnd] = end;
  a.state[kFrontNext] = -1;
  a.state[kLevelsDone] = levels;
  a.state[kFirstUnmet] = unmet;
  a.state[kSearchIsOver] = isOver;
}

// The places at the front that a block takes; none if the front is left to one block.
struct PartOfFront {
  int begin, end, frontEnd;
};
template <class Index>
__device__ __forceinline__ PartOfFront partOfFront(const SearchArgs<Index> &a) {
  const int begin = a.state[kFrontBegin], end = a.state[kFrontEnd];
  if (a.state[kSearchIsOver] || end - begin <= kFewAtFront)
    return {0, 0, 0};
  const int blocks = static_cast<int>(gridDim.x), each = (end - begin + blocks - 1) / blocks;
  const int first = begin + min(end - begin, static_cast<int>(blockIdx.x) * each);
  return {first, min(end, first + each), end};
}

template <class Index> __device__ __forceinline__ void searchClaim(const SearchArgs<Index> &a) {
  const PartOfFront part = partOfFront(a);
  for (int place = part.begin + static_cast<int>(threadIdx.x); place < part.end;
       place += kSetupBlock)
    claimRows(a, place);
}

template <class Index> __device__ __forceinline__ void searchCount(const SearchArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  const PartOfFront part = partOfFront(a);
  if (part.frontEnd == 0)
    return;
  long long own = 0, total;
  for (int place = part.begin + static_cast<int>(threadIdx.x); place < part.end;
       place += kSetupBlock)
    own += countClaimed(a, place);
  blockScan<kSetupBlock>(own, warpSums, total);
  if (threadIdx.x == 0)
    a.counts[blockIdx.x] = total;
}

template <class Index> __device__ __forceinline__ void searchAppend(const SearchArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(long long, warpSums, 33);
  const PartOfFront part = partOfFront(a);
  if (part.frontEnd == 0)
    return;
  long long own = 0, before;
  for (int block = static_cast<int>(threadIdx.x); block < static_cast<int>(blockIdx.x);
       block += kSetupBlock)
    own += a.counts[block];
  blockScan<kSetupBlock>(own, warpSums, before);
  __syncthreads();
  const long long last =
      appendClaimed<kSetupBlock>(a, part.begin, part.end, part.frontEnd + before, warpSums);
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    a.state[kFrontNext] = static_cast<int>(last);
}

// Counts a row that no search has met as 1; a scan makes places of these counts, at which the rows
// then follow the others.
struct RestArgs {
  const int *claims;
  int *places; // rows + 1
  int *queue;
  long long rows;
  int met; // rows in the queue
};

__device__ __forceinline__ void restCounts(const RestArgs &a) {
  const long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (row < a.rows)
    a.places[row] = a.claims[row] == kUnmet;
}

__device__ __forceinline__ void restAppend(const RestArgs &a) {
  const long long row = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (row < a.rows && a.claims[row] == kUnmet)
    a.queue[a.met + a.places[row]] = static_cast<int>(row);
}

} // namespace specmv
