// ELL: one thread a row, the width K a constant, entries stored column by column so that a warp
// reads them coalesced (Bell and Garland's ELLPACK; PMF paper section 4.3.3).
#pragma once
#include "device.cuh"

namespace specmv {

struct EllPlan {
  int blockThreads;
  Int64 width; // K
  bool readsY; // false: beta is 0 in every product
};

template <class Value, class Offset, class Column> struct EllArgs {
  const Column *col; // width x stride; -1 is padding and sorts last in its row
  const Value *val;  // width x stride
  const Value *x;
  Value *y;
  Value alpha, beta;
  Offset rows;
  Offset stride; // rows rounded up to a whole warp, so that every column of the array is aligned
};

// Entries of a row whose loads are issued together: enough to cover the latency of memory without
// costing a double kernel its occupancy (8 x (8 + 4) bytes a thread in flight).
constexpr int kEllBatch = 8;

// Adds the products of `count` entries of one row from column k on. A padded entry never reads x,
// so that a NaN in x cannot spread.
template <int count, class Value, class Offset, class Column>
__device__ __forceinline__ Value ellBatch(const EllArgs<Value, Offset, Column> &a, Offset row,
                                          Int64 k, Value sum) {
  Column col[count];
  Value val[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const Offset slot = Offset(k + i) * a.stride + row;
    col[i] = loadOnce(a.col + slot);
    val[i] = loadOnce(a.val + slot);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
    sum = multiplyAdd(val[i], loadReusedIf(col[i] >= 0, a.x + col[i]), sum);
  return sum;
}

// The product of one row: unrolled in full up to K = 64, by 16 above.
template <const EllPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ Value ellRow(const EllArgs<Value, Offset, Column> &a, Offset row) {
  constexpr Int64 batches = plan.width / kEllBatch;
  constexpr int unrolled = plan.width <= kUnrollFully ? batches + 1 : kUnrollWide / kEllBatch;
  Value sum = 0;
#pragma unroll unrolled
  for (Int64 b = 0; b < batches; ++b)
    sum = ellBatch<kEllBatch>(a, row, b * kEllBatch, sum);
  if constexpr (plan.width % kEllBatch != 0)
    sum = ellBatch<plan.width % kEllBatch>(a, row, batches * kEllBatch, sum);
  return sum;
}

template <const EllPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void ell(const EllArgs<Value, Offset, Column> &a) {
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.width >= 0);
  const Offset row = Offset(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (row >= a.rows)
    return;
  storeResult<plan.readsY>(a.y + row, a.alpha, ellRow<plan>(a, row), a.beta);
}

} // namespace specmv
