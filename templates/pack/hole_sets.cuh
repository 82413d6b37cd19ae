// Numbers the distinct sets of holes of DIA. A set consists of the words of 32 rows, which form a
// group; the groups of a grid have few different sets. The numbers follow the order in which the
// sets first appear.
#pragma once
#include "pack/dia_found.cuh"
#include "setup/block.cuh"

namespace specmv {

// The table of sets has more places than there are groups. A place holds groups - g, where g is the
// first group seen so far that has this set; 0 means empty. A set stays in its place, so the place
// identifies it.
template <class Number> struct HoleSetArgs {
  const unsigned *holeWords; // groups x diagonals
  unsigned *holeTable;
  unsigned *holeSlot; // of each group: the place of its set, or kNoHoleSlot
  Number *holeNumber; // of each group: 1 if it is the first of its set; then the number of sets
                      // before it
  Int64 *diaFound;    // kDiaSets receives the number of sets
  long long groups;
  int diagonals;
  unsigned mask; // number of places in the table, less 1
};

// Reads a place. An outdated result does no harm: the exchange detects a place that was filled
// meanwhile, and a place keeps its set.
__device__ __forceinline__ unsigned holeSeen(unsigned *place) { // NOLINT: atomicOr writes
#if defined(__CUDA_ARCH__)
  return *static_cast<volatile unsigned *>(place);
#else
  return atomicOr(place, 0U);
#endif
}

// Hashes a set, with the same result in all lanes of a warp; 0 if there are no holes.
__device__ __forceinline__ unsigned holeHash(const unsigned *set, int diagonals) {
  unsigned hash = 0;
#pragma unroll 1
  for (int d = static_cast<int>(threadIdx.x) % 32; d < diagonals; d += 32) {
    unsigned word = set[d] == 0 ? 0 : set[d] + 0x9e3779b9U * unsigned(d + 1);
    word = (word ^ word >> 16) * 0x7feb352dU;
    word = (word ^ word >> 15) * 0x846ca68bU;
    hash += word ^ word >> 16;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    hash += __shfl_xor_sync(kFullMask, hash, step);
  return hash;
}

// Returns a bit for each lane that finds differing words.
__device__ __forceinline__ unsigned holesDiffer(const unsigned *set, const unsigned *other,
                                                int diagonals) {
  bool differs = false;
#pragma unroll 1
  for (int d = static_cast<int>(threadIdx.x) % 32; d < diagonals; d += 32)
    differs = differs || set[d] != (other ? other[d] : 0U);
  return __ballot_sync(kFullMask, differs);
}

// Puts the sets into the table; one warp per group.
template <class Number> __device__ __forceinline__ void holeFind(const HoleSetArgs<Number> &a) {
  const long long group =
      static_cast<long long>(blockIdx.x) * (kSetupBlock / 32) + threadIdx.x / 32;
  if (group >= a.groups)
    return;
  const bool isFirstLane = threadIdx.x % 32 == 0;
  const unsigned *set = a.holeWords + group * a.diagonals;
  if (!holesDiffer(set, nullptr, a.diagonals)) {
    if (isFirstLane)
      a.holeSlot[group] = kNoHoleSlot;
    return;
  }
  const auto own = static_cast<unsigned>(a.groups - group);
  for (unsigned at = holeHash(set, a.diagonals) & a.mask;; at = (at + 1) & a.mask) {
    unsigned seen = 0;
    if (isFirstLane) {
      seen = holeSeen(a.holeTable + at);
      if (seen == 0)
        seen = atomicCAS(a.holeTable + at, 0U, own);
    }
    seen = __shfl_sync(kFullMask, seen, 0);
    if (seen != 0 && holesDiffer(set, a.holeWords + (a.groups - seen) * a.diagonals, a.diagonals))
      continue; // the place belongs to another set
    if (isFirstLane) {
      if (seen != 0 && seen < own)
        atomicMax(a.holeTable + at, own);
      a.holeSlot[group] = at;
    }
    return;
  }
}

// Marks and counts the groups in which a set first appears; one thread per group.
template <class Number> __device__ __forceinline__ void holeCount(const HoleSetArgs<Number> &a) {
  const long long group = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  const unsigned slot = group < a.groups ? a.holeSlot[group] : kNoHoleSlot;
  const bool isFirst = slot != kNoHoleSlot && a.groups - a.holeTable[slot] == group;
  if (group < a.groups)
    a.holeNumber[group] = isFirst;
  const unsigned firsts = __ballot_sync(kFullMask, isFirst);
  if (threadIdx.x % 32 == 0 && firsts != 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(a.diaFound + kDiaSets),
              static_cast<unsigned long long>(__popc(firsts)));
}

template <class Number, class Offset> struct HoleStoreArgs {
  const unsigned *holeWords, *holeTable, *holeSlot;
  const Number *holeNumber;
  Offset *holeSet; // of each group: the number of its set, or -1
  unsigned *holes; // sets x diagonals
  long long groups;
  int diagonals;
};

// Writes the sets and their numbers; one warp per group.
template <class Number, class Offset>
__device__ __forceinline__ void holeStore(const HoleStoreArgs<Number, Offset> &a) {
  const long long group =
      static_cast<long long>(blockIdx.x) * (kSetupBlock / 32) + threadIdx.x / 32;
  if (group >= a.groups)
    return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned slot = a.holeSlot[group];
  const long long first = slot == kNoHoleSlot ? -1 : a.groups - a.holeTable[slot];
  const long long number = first < 0 ? -1 : static_cast<long long>(a.holeNumber[first]);
  if (lane == 0)
    a.holeSet[group] = static_cast<Offset>(number);
  for (int d = lane; first == group && d < a.diagonals; d += 32)
    a.holes[number * a.diagonals + d] = a.holeWords[group * a.diagonals + d];
}

} // namespace specmv
