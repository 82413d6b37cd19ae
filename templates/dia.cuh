// DIA (Bell and Garland 2009): values are stored diagonal by diagonal, and a thread works on one or
// a few rows. The offsets of the diagonals are either constants of the code, so that only values, x
// and y are read, or an array among the arguments.
#pragma once
#include "shared/several.cuh"

namespace specmv {

struct DiaPlan {
  // column - row. This must be the first member: clang 14 misplaces an array of a template argument
  // that comes after padding.
  Int64 offsets[kMaxDiagonals] = {};
  int blockThreads;
  int rowsPerThread;
  int diagonals;
  bool holes;  // some places of the diagonals inside the matrix have no entry
  bool readsY; // false: beta is 0 in every product
};

template <class T> struct DiaArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  typename T::Values val; // diagonals x stride
  // If the plan has holes: for each 32 rows the number of their set in `holes`, -1 if they have no
  // holes.
  const Offset *holeSet = nullptr;
  // A set has a word for each diagonal; bit i is set if row i of the 32 has no entry although the
  // place lies inside the matrix.
  const unsigned *holes = nullptr;
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
  typename T::Column cols;
  Offset stride; // rows rounded up to a whole warp, so that every diagonal is aligned
  // These two are read only if the diagonals are not constants.
  const Int64 *offsets = nullptr;
  int diagonals = 0;
};

// A thread loads its places in batches of kDiaBatch, or all at once: to kDiaMost of one row and
// vector (27 take 0.86 to 0.99 of the time by batches, H200), to 2 kDiaBatch of several.
enum : int { kDiaBatch = 8, kDiaMost = 27 };

// The rows of a thread, spaced by the number of teams of a block, and the sets of their holes.
template <int count, class Offset> struct DiaRows {
  Offset row[count];
  Offset holeSet[count];
  bool haveHoles = false;
};

// Returns true if row + offset is a column: 0 <= row + offset < cols. As an unsigned number, a
// negative sum is larger than cols.
template <class Offset, class Column>
__device__ __forceinline__ bool diaIsInside(Offset row, Int64 offset, Column cols) {
  if constexpr (sizeof(Offset) == 4 && sizeof(Column) == 4)
    return unsigned(row) + unsigned(offset) < unsigned(cols);
  else
    return static_cast<unsigned long long>(row + offset) < static_cast<unsigned long long>(cols);
}

// Diagonals from `first` on, whose offsets are in the code.
template <DiaPlan plan> struct DiaKnown {
  int first;
  __device__ int all() const { return plan.diagonals; }
  __device__ Int64 offset(int k) const { return plan.offsets[first + k]; }
};
// Diagonals from `first` on, whose offsets are in an array.
struct DiaListed {
  const Int64 *offsets;
  int diagonals;
  int first;
  __device__ int all() const { return diagonals; }
  __device__ Int64 offset(int k) const { return loadReused(offsets + (first + k)); }
};

// templates/coding/diagonals.cuh has views that need no slot.

// The value in a slot of a diagonal.
template <class View, class Slot>
__device__ __forceinline__ auto loadOfDiagonal(const View &view, int /*diagonal*/, Slot slot,
                                               bool /*isInside*/) {
  return loadOnce(view + slot);
}

// Adds the products of `count` diagonals. The loads of values and x do not depend on each other. x
// is loaded for holes too, but not used, so that a NaN in x cannot spread. Rows without holes skip
// the test for them; all rows of a warp take the same branch.
template <DiaPlan plan, int count, class Diagonals, class T>
__device__ __forceinline__ void
diaBatch(const DiaArgs<T> &a, const DiaRows<plan.rowsPerThread, typename T::Offset> &rows,
         const Diagonals &diagonals, SumOf<typename T::X> (&sum)[plan.rowsPerThread]) {
  using Offset = typename T::Offset;
  using X = typename T::X;
  constexpr int perThread = plan.rowsPerThread, size = perThread * count;
  decltype(loadOfDiagonal(a.val, 0, Offset(0), true)) val[size];
  SumOf<X> x[size];
#pragma unroll
  for (int i = 0; i < size; ++i) {
    const Offset row = rows.row[i % perThread];
    const int k = i / perThread;
    const Int64 offset = diagonals.offset(k);
    const bool isInside = diaIsInside(row, offset, a.cols);
    val[i] = loadOfDiagonal(a.val, diagonals.first + k,
                            Offset(diagonals.first + k) * a.stride + row, isInside);
    x[i] = loadReusedIf(isInside, ofThread(a.x) + row + offset);
  }
  if (plan.holes && rows.haveHoles) {
    unsigned holes[size];
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const Offset set = rows.holeSet[i % perThread];
      const int k = i / perThread;
      holes[i] = loadReusedIf(set >= 0, a.holes + (set * diagonals.all() + diagonals.first + k));
    }
#pragma unroll
    for (int i = 0; i < size; ++i)
      if (!(holes[i] >> threadIdx.x / teamThreads<X>() % kHoleRows & 1))
        sum[i % perThread] = multiplyAdd(val[i], x[i], sum[i % perThread]);
  } else {
#pragma unroll
    for (int i = 0; i < size; ++i)
      sum[i % perThread] = multiplyAdd(val[i], x[i], sum[i % perThread]);
  }
}

// Loops over up to this many places per thread are unrolled, so that each offset is part of an
// instruction; above it, offsets are read from constant memory. Compile time sets the limit: 241
// diagonals take NVRTC 13.0 0.75 s with one row per thread and 2.6 s with two (double, with holes).
enum : int { kDiaUnrollFully = 256 };

// Computes the sums of a thread's rows.
template <DiaPlan plan, class T>
__device__ __forceinline__ void diaSums(const DiaArgs<T> &a,
                                        const DiaRows<plan.rowsPerThread, typename T::Offset> &rows,
                                        SumOf<typename T::X> (&sum)[plan.rowsPerThread]) {
  constexpr int places = plan.diagonals * plan.rowsPerThread;
  constexpr int most =
      plan.rowsPerThread == 1 && sizeof(SumOf<typename T::X>) <= 8 ? kDiaMost : 2 * kDiaBatch;
  constexpr int batch =
      places <= most && places > 0 ? plan.diagonals : kDiaBatch / plan.rowsPerThread;
  constexpr int batches = plan.diagonals / batch;
  constexpr int unrolled = places <= kDiaUnrollFully ? batches + 1 : kUnrollWide / batch;
#pragma unroll unrolled
  for (int b = 0; b < batches; ++b)
    diaBatch<plan, batch>(a, rows, DiaKnown<plan>{b * batch}, sum);
  if constexpr (plan.diagonals % batch != 0)
    diaBatch<plan, plan.diagonals % batch>(a, rows, DiaKnown<plan>{batches * batch}, sum);
}

// Adds the remaining diagonals from `first` on, at most `most`, with separate code for each count.
template <DiaPlan plan, int most, class T>
__device__ __forceinline__ void
diaRest(const DiaArgs<T> &a, const DiaRows<plan.rowsPerThread, typename T::Offset> &rows, int first,
        SumOf<typename T::X> (&sum)[plan.rowsPerThread]) {
  if constexpr (most > 0) {
    if (a.diagonals - first == most)
      diaBatch<plan, most>(a, rows, DiaListed{a.offsets, a.diagonals, first}, sum);
    else
      diaRest<plan, most - 1>(a, rows, first, sum);
  }
}

// Computes the sums of a thread's rows for diagonals in an argument; the results have the same
// bits.
template <DiaPlan plan, class T>
__device__ __forceinline__ void
diaSumsOfAny(const DiaArgs<T> &a, const DiaRows<plan.rowsPerThread, typename T::Offset> &rows,
             SumOf<typename T::X> (&sum)[plan.rowsPerThread]) {
  constexpr int batch = kDiaBatch / plan.rowsPerThread;
  int first = 0;
  if constexpr (plan.rowsPerThread > 1) // plans with several rows have few diagonals
    if (a.diagonals <= 2 * batch)
      return diaRest<plan, 2 * batch>(a, rows, first, sum);
  for (; first + batch <= a.diagonals; first += batch)
    diaBatch<plan, batch>(a, rows, DiaListed{a.offsets, a.diagonals, first}, sum);
  diaRest<plan, batch - 1>(a, rows, first, sum);
}

template <DiaPlan plan, class T> __device__ __forceinline__ void dia(const DiaArgs<T> &a) {
  using Offset = typename T::Offset;
  using X = typename T::X;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.rowsPerThread == 1 || plan.rowsPerThread == 2 || plan.rowsPerThread == 4);
  static_assert((plan.diagonals >= 0 && plan.diagonals <= kMaxDiagonals) ||
                plan.diagonals == kAsArgument);
  constexpr int count = plan.rowsPerThread, teams = plan.blockThreads / teamThreads<X>();
  static_assert(teams % kHoleRows == 0);
  const Offset first = Offset(blockIdx.x) * (teams * count) + threadIdx.x / teamThreads<X>();
  if (first >= a.rows)
    return;
  DiaRows<count, Offset> rows;
  SumOf<X> sum[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    // A row after the end becomes the last row: its loads need no branch, and it is not stored.
    const Offset row = first + i * teams;
    rows.row[i] = row < a.rows ? row : a.rows - 1;
    if constexpr (plan.holes) {
      rows.holeSet[i] = loadReused(a.holeSet + rows.row[i] / kHoleRows);
      rows.haveHoles |= rows.holeSet[i] >= 0;
    }
    sum[i] = {};
  }
  if constexpr (plan.diagonals == kAsArgument)
    diaSumsOfAny<plan>(a, rows, sum);
  else
    diaSums<plan>(a, rows, sum);
#pragma unroll
  for (int i = 0; i < count; ++i)
    if (i == 0 || first + i * teams < a.rows)
      storeResult<plan.readsY>(ofThread(a.y) + rows.row[i], a.alpha, sum[i], a.beta);
}

} // namespace specmv
