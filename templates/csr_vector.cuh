// CSR-vector: a group of lanesPerRow lanes multiplies one row of a CSR matrix. 16 lanes are the
// half-warp mapping of Zhang et al. 2013 (QCSR, section 5.1) and the CSR-V of Wang, Gu and Li 2017.
#pragma once
#include "shared/several.cuh"

namespace specmv {

struct CsrVectorPlan {
  int blockThreads;
  int lanesPerRow;
  bool readsY; // false: beta is 0 in every product
};

template <class T> struct CsrVectorArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  const Offset *rowPtr; // rows + 1
  typename T::Columns col;
  typename T::Values val;
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0; // which fused steps leave as they are
  Offset rows;
};

// A group that reads less than a 32-byte sector at a time returns to the same sector, so L1 must
// keep it.
template <int lanes, class View> __device__ __forceinline__ auto csrLoad(View view) {
  if constexpr (lanes * sizeof(ElementOf<View>) >= 32)
    return loadOnce(view);
  else
    return loadReused(view);
}

template <CsrVectorPlan plan, class T>
__device__ __forceinline__ void csrVector(const CsrVectorArgs<T> &a) {
  using Offset = typename T::Offset;
  using X = typename T::X;
  constexpr int lanes = plan.lanesPerRow, team = teamThreads<X>();
  static_assert(lanes >= 1 && lanes * team <= 32 && (lanes & (lanes - 1)) == 0);
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  constexpr int rowsPerBlock = plan.blockThreads / (lanes * team);

  const int lane = threadIdx.x / team % lanes;
  const Offset row = Offset(blockIdx.x) * rowsPerBlock + threadIdx.x / (lanes * team);
  // A group after the last row has an empty row; it stays, since all lanes must take part in the
  // sum.
  const bool live = row < a.rows;
  const Offset begin = live ? loadReused(a.rowPtr + row) : 0;
  const Offset end = live ? loadReused(a.rowPtr + row + 1) : 0;

  const X x = ofThread(a.x);
  SumOf<X> sum = {};
#pragma unroll kRowUnroll
  for (Offset k = begin + lane; k < end; k += lanes)
    sum = multiplyAdd(csrLoad<lanes>(a.val + k), loadX(x, csrLoad<lanes>(a.col + k)), sum);

  sum = groupSum<lanes * team, team>(sum);
  storeOwned<plan.readsY, plan.blockThreads, rowsPerBlock>(
      ofThread(a.y), lane == 0, live, threadIdx.x / (lanes * team), row, a.alpha, sum, a.beta);
}

} // namespace specmv
