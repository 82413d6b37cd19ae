// CSR-vector: a group of lanesPerRow lanes multiplies one row of a CSR matrix. 16 lanes are the
// half-warp mapping of Zhang et al. 2013 (QCSR, section 5.1) and the CSR-V of Wang, Gu and Li 2017.
#pragma once
#include "shared/several.cuh"

namespace specmv {

struct CsrVectorPlan {
  int blockThreads;
  int lanesPerRow;
  bool readsY;                // false: beta is 0 in every product
  bool storesByFirst = false; // the first threads of a block store its rows
};

template <class T> struct CsrVectorArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  const Offset *rowPtr; // rows + 1
  typename T::Columns col;
  typename T::Values val;
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
};

// A group that reads less than a 32-byte sector at a time returns to the same sector, so L1 must
// keep it.
template <int lanes, class View> __device__ __forceinline__ auto csrLoad(View view) {
  if constexpr (lanes * sizeof(loadOnce(view)) >= 32)
    return loadOnce(view);
  else
    return loadKept(view);
}

template <CsrVectorPlan plan, class T>
__device__ __forceinline__ void csrVector(const CsrVectorArgs<T> &a) {
  using Offset = typename T::Offset;
  using X = typename T::X;
  constexpr int lanes = plan.lanesPerRow, team = teamThreads<X>();
  static_assert(lanes >= 1 && lanes * team <= 32 && (lanes & (lanes - 1)) == 0);
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  constexpr int rowsPerBlock = plan.blockThreads / team / lanes;

  const int lane = threadIdx.x / team % lanes;
  const Offset row = Offset(blockIdx.x) * rowsPerBlock + threadIdx.x / team / lanes;
  // A group after the last row has an empty row; it stays, since all lanes must take part in the
  // sum.
  const bool live = row < a.rows;
  const Offset begin = live ? loadReused(a.rowPtr + row) : 0;
  const Offset end = live ? loadReused(a.rowPtr + row + 1) : 0;

  const auto x = ofThread(a.x);
  SumOf<X> sum = {};
#pragma unroll kRowUnroll
  for (Offset k = begin + lane; k < end; k += lanes)
    sum = multiplyAdd(csrLoad<lanes>(a.val + k), loadReused(x + csrLoad<lanes>(a.col + k)), sum);

  sum = groupSum<lanes * team, team>(sum);
  if constexpr (plan.storesByFirst)
    storeByFirst<plan.readsY, rowsPerBlock>(a.y, lane == 0, live, threadIdx.x / lanes, row, a.alpha,
                                            sum, a.beta);
  else if constexpr (team > 1)
    storeIf<plan.readsY>(live, lane == 0, ofThread(a.y), row, a.alpha, sum, a.beta);
  else if (live && lane == 0)
    storeResult<plan.readsY>(ofThread(a.y) + row, a.alpha, sum, a.beta);
}

} // namespace specmv
