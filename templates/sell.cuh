// SELL-C-sigma (Kreutzer et al. 2014; with sigma = 1 the sliced ELL of Monakov et al. 2010): slices
// of C rows, each stored column by column and as wide as its longest row. Rows are sorted by length
// within windows of sigma rows, so that the rows of a slice have similar lengths.
#pragma once
#include "shared/padded.cuh"

namespace specmv {

struct SellPlan {
  int blockThreads;
  int slice;                  // C
  int sigma;                  // rows of a window, a power of two, or kAsArgument; 1: not sorted
  int lanesPerRow;            // lane t of a row takes columns t, t + lanesPerRow, ... of the slice
  bool readsY;                // false: beta is 0 in every product
  bool storesByFirst = false; // the first threads of a block store its rows
};

template <class T> struct SellArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  const Offset *sliceStart; // slices + 1: first slot
  typename T::Columns col;  // -1 is padding and comes last in its row
  typename T::Values val;
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
  // If rows are sorted, by place: the row, counted from the first row of its window.
  Streamed<Int16> perm = {};
  int sigma = 0; // if it is not a constant
};

// The slots of a row, `stride` apart, from slot 0 on.
template <int stride, class Offset> struct SellSlots {
  enum : bool { kMayEnd = true };
  Offset left; // slots up to the end of the slice
  __device__ int at(int i) const { return i * stride; }
  __device__ bool has(int i) const { return i * stride < left; }
};

// The row whose entries are in this place, if rows are sorted in windows of sigma rows, a power of
// two.
template <class Offset>
__device__ Offset rowInPlace(const Streamed<Int16> &perm, Offset place, int sigma) {
  return (place & -Offset(sigma)) + loadOnce(perm + place);
}
template <SellPlan plan, class T, class Offset>
__device__ Offset sellRow(const SellArgs<T> &a, Offset place) {
  if constexpr (plan.sigma == 1)
    return place;
  else if constexpr (plan.sigma == kAsArgument)
    return rowInPlace(a.perm, place, a.sigma);
  else
    return rowInPlace(a.perm, place, plan.sigma);
}

template <SellPlan plan, class T> __device__ __forceinline__ void sell(const SellArgs<T> &a) {
  using Offset = typename T::Offset;
  using X = typename T::X;
  // The number of lanes of a slice, which read as many neighbouring slots at a time.
  constexpr int group = plan.slice * plan.lanesPerRow;
  constexpr int team = teamThreads<X>(), teams = plan.blockThreads / team;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.slice >= 1 && (group & (group - 1)) == 0 && teams % group == 0);
  static_assert(plan.lanesPerRow == 1 || group * team <= 32,
                "the lanes of a row must be of one warp");
  static_assert(plan.sigma == 1 || plan.sigma <= 65536);

  const unsigned worker = threadIdx.x / team;
  const int member = worker % group;
  const Offset slice = Offset(blockIdx.x) * (teams / group) + worker / group;
  const Offset place = slice * plan.slice + member % plan.slice;
  // Lanes after the last row have no entries; they stay, since all lanes must take part in the sum.
  const bool live = place < a.rows;
  const Offset begin = live ? loadReused(a.sliceStart + slice) : 0;
  const Offset end = live ? loadReused(a.sliceStart + slice + 1) : 0;
  const Offset row = live ? sellRow<plan>(a, place) : 0;

  const auto x = ofThread(a.x);
  SumOf<X> sum = {};
  for (Offset slot = begin + member; slot < end; slot += kPaddedBatch * group)
    sum = paddedBatch<kPaddedBatch>(opaque(a.col + slot), opaque(a.val + slot), x,
                                    SellSlots<group, Offset>{end - slot}, sum);
  if constexpr (plan.lanesPerRow > 1)
    sum = groupSum<group * team, plan.slice * team>(sum);
  if constexpr (plan.storesByFirst)
    storeByFirst<plan.readsY, teams / group * plan.slice>(
        a.y, member < plan.slice, live, worker / group * plan.slice + member % plan.slice, row,
        a.alpha, sum, a.beta);
  else if constexpr (team > 1)
    storeIf<plan.readsY>(live, member < plan.slice, ofThread(a.y), row, a.alpha, sum, a.beta);
  else if (live && member < plan.slice)
    storeResult<plan.readsY>(ofThread(a.y) + row, a.alpha, sum, a.beta);
}

} // namespace specmv
