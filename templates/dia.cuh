// DIA: the offsets of the diagonals are constants of the code, so that values, x and y are all that
// is read; values lie diagonal by diagonal, one thread a row (Bell and Garland's DIA).
#pragma once
#include "shared/device.cuh"

namespace specmv {

constexpr int kMaxDiagonals = 256;

struct DiaPlan {
  int blockThreads;
  int rowsPerThread;
  int diagonals;
  bool holes;                   // places of the diagonals inside the matrix may lack an entry
  bool readsY;                  // false: beta is 0 in every product
  Int64 offsets[kMaxDiagonals]; // column - row
};

template <class Value, class Offset, class Column> struct DiaArgs {
  const Value *val; // diagonals x stride
  // Where the plan has holes: for each 32 rows, which of the sets of `holes` is theirs, -1 if they
  // have none.
  const Offset *holeSet = nullptr;
  // Sets of a word for each diagonal: bit i is set where row i of 32 lacks an entry that would lie
  // inside the matrix.
  const unsigned *holes = nullptr;
  const Value *x;
  Value *y;
  Value alpha, beta;
  Offset rows;
  Column cols;
  Offset stride; // rows rounded up to a whole warp, so that every diagonal is aligned
};

// Places whose loads a thread issues together, over all of its rows: as many as ELL's, or all where
// they are at most twice as many.
constexpr int kDiaBatch = 8;

// The rows of a thread, a block apart from each other, and the sets of their holes.
template <int count, class Offset> struct DiaRows {
  Offset row[count];
  Offset holeSet[count];
  bool haveHoles = false;
};

// Whether row + offset is a column: it wraps beyond cols where it is negative.
template <class Offset, class Column>
__device__ __forceinline__ bool diaIsInside(Offset row, Int64 offset, Column cols) {
  if constexpr (sizeof(Offset) == 4 && sizeof(Column) == 4)
    return unsigned(row) + unsigned(offset) < unsigned(cols);
  else
    return static_cast<unsigned long long>(row + offset) < static_cast<unsigned long long>(cols);
}

// Adds the products of `count` diagonals from `first` on. Values and x wait for nothing. What is
// loaded of x where there is a hole is not used, so that a NaN in x cannot spread; rows without
// holes branch past all that, which is uniform in a warp.
template <const DiaPlan &plan, int count, class Value, class Offset, class Column>
__device__ __forceinline__ void diaBatch(const DiaArgs<Value, Offset, Column> &a,
                                         const DiaRows<plan.rowsPerThread, Offset> &rows, int first,
                                         Value (&sum)[plan.rowsPerThread]) {
  constexpr int perThread = plan.rowsPerThread, size = perThread * count;
  Value val[size], x[size];
#pragma unroll
  for (int i = 0; i < size; ++i) {
    const Offset row = rows.row[i % perThread];
    const Int64 offset = plan.offsets[first + i / perThread];
    val[i] = loadOnce(a.val + (Offset(first + i / perThread) * a.stride + row));
    x[i] = loadReusedIf(diaIsInside(row, offset, a.cols), a.x + row + offset);
  }
  if (plan.holes && rows.haveHoles) {
    unsigned holes[size];
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const Offset set = rows.holeSet[i % perThread];
      holes[i] = loadReusedIf(set >= 0, a.holes + (set * plan.diagonals + first + i / perThread));
    }
#pragma unroll
    for (int i = 0; i < size; ++i)
      if (!(holes[i] >> threadIdx.x % 32 & 1))
        sum[i % perThread] = multiplyAdd(val[i], x[i], sum[i % perThread]);
  } else {
#pragma unroll
    for (int i = 0; i < size; ++i)
      sum[i % perThread] = multiplyAdd(val[i], x[i], sum[i % perThread]);
  }
}

// Up to so many places a thread everything is unrolled, which makes each offset part of an
// instruction: 241 diagonals of a row take NVRTC 0.75 s (double, with holes, measured with NVRTC
// 13.0), as many of two rows 2.6 s. Where it is more, offsets are read from the constant.
constexpr int kDiaUnrollFully = 256;

// The sums of a thread's rows.
template <const DiaPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void diaSums(const DiaArgs<Value, Offset, Column> &a,
                                        const DiaRows<plan.rowsPerThread, Offset> &rows,
                                        Value (&sum)[plan.rowsPerThread]) {
  constexpr int places = plan.diagonals * plan.rowsPerThread;
  constexpr int batch =
      places <= 2 * kDiaBatch && places > 0 ? plan.diagonals : kDiaBatch / plan.rowsPerThread;
  constexpr int batches = plan.diagonals / batch;
  constexpr int unrolled = places <= kDiaUnrollFully ? batches + 1 : kUnrollWide / batch;
#pragma unroll unrolled
  for (int b = 0; b < batches; ++b)
    diaBatch<plan, batch>(a, rows, b * batch, sum);
  if constexpr (plan.diagonals % batch != 0)
    diaBatch<plan, plan.diagonals % batch>(a, rows, batches * batch, sum);
}

template <const DiaPlan &plan, class Value, class Offset, class Column>
__device__ __forceinline__ void dia(const DiaArgs<Value, Offset, Column> &a) {
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.rowsPerThread == 1 || plan.rowsPerThread == 2 || plan.rowsPerThread == 4);
  static_assert(plan.diagonals >= 0 && plan.diagonals <= kMaxDiagonals);
  constexpr int count = plan.rowsPerThread;
  const Offset first = Offset(blockIdx.x) * (plan.blockThreads * count) + threadIdx.x;
  if (first >= a.rows)
    return;
  DiaRows<count, Offset> rows;
  Value sum[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    // Past the end, the last row again: no branch holds up loads.
    const Offset row = first + i * plan.blockThreads;
    rows.row[i] = row < a.rows ? row : a.rows - 1;
    if constexpr (plan.holes) {
      rows.holeSet[i] = loadReused(a.holeSet + rows.row[i] / 32);
      rows.haveHoles |= rows.holeSet[i] >= 0;
    }
    sum[i] = 0;
  }
  diaSums<plan>(a, rows, sum);
#pragma unroll
  for (int i = 0; i < count; ++i)
    if (i == 0 || first + i * plan.blockThreads < a.rows)
      storeResult<plan.readsY>(a.y + rows.row[i], a.alpha, sum[i], a.beta);
}

} // namespace specmv
