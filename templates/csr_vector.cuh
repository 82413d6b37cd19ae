// CSR-vector: a group of lanesPerRow lanes multiplies one row of a CSR matrix. 16 lanes are the
// half-warp mapping of Zhang et al. 2013 (QCSR, section 5.1) and of the CSR-V of Wang, Gu and Li
// 2017.
#pragma once
#include "shared/device.cuh"

namespace specmv {

struct CsrVectorPlan {
  int blockThreads;
  int lanesPerRow;
  bool readsY; // false: beta is 0 in every product
};

template <class Value, class Offset, class Column> struct CsrVectorArgs {
  const Offset *rowPtr; // rows + 1
  const Column *col;
  const Value *val;
  const Value *x;
  Value *y;
  Value alpha, beta;
  Offset rows;
};

// A group that reads less than a 32-byte sector at a time comes back to the same sector: L1 must
// keep it.
template <int lanes, class T> __device__ __forceinline__ T csrLoad(const T *p) {
  if constexpr (lanes * sizeof(T) >= 32)
    return loadOnce(p);
  else
    return loadReused(p);
}

template <const CsrVectorPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void csrVector(const CsrVectorArgs<Value, Offset, Column> &a) {
  constexpr int lanes = plan.lanesPerRow;
  static_assert(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0);
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  constexpr int rowsPerBlock = plan.blockThreads / lanes;

  const int lane = threadIdx.x % lanes;
  const Offset row = Offset(blockIdx.x) * rowsPerBlock + threadIdx.x / lanes;
  // A group behind the last row has an empty row: all lanes must take part in the group sum.
  const bool live = row < a.rows;
  const Offset begin = live ? loadReused(a.rowPtr + row) : 0;
  const Offset end = live ? loadReused(a.rowPtr + row + 1) : 0;

  Value sum = 0;
#pragma unroll kRowUnroll
  for (Offset k = begin + lane; k < end; k += lanes)
    sum = multiplyAdd(csrLoad<lanes>(a.val + k), loadReused(a.x + csrLoad<lanes>(a.col + k)), sum);

  sum = groupSum<lanes>(sum);
  if (live && lane == 0)
    storeResult<plan.readsY>(a.y + row, a.alpha, sum, a.beta);
}

} // namespace specmv
