// Fused steps of solvers: statements of the caller that run for each row of a product in place of
// storing y, and sums over all rows. The emitted source has the statements, as a type `Step` whose
// run() executes them for one row; `Source` has the expression that is multiplied, if it is more
// than a vector. Kernels see both as views of y and x.
//
// Sums are deterministic: a thread adds up the rows that it stores, a block its threads, and
// another kernel the blocks, each in a fixed order. Only a row whose entries are in several blocks
// (shared/open_rows.cuh) is stored by the block that happens to come last, so it has a slot of its
// own among the partial sums, behind those of the blocks: the slot of the block in which it ends.
// Slots that no row uses stay 0. A last block that added up the others in the same kernel would
// take longer: each block would wait for its atomic (H200: 113 us instead of 97, and 8.5 instead
// of 7.2).
#pragma once
#include "shared/open_rows.cuh"
#include "shared/several.cuh"

namespace specmv {

// For the texts of steps: a / b, or 0 if b is 0, where a is finite. There is no branch around the
// division, so that the compiler computes it once where a kernel reads x many times.
template <class Value> __device__ __forceinline__ Value ratio(Value a, Value b) {
  const bool isZero = b == Value(0);
  return a / (isZero ? Value(1) : b) * (isZero ? Value(0) : Value(1));
}

// --- y: the statements of a row

// Y of a fused product. `sums` are those of this thread.
template <class Step> struct FusedRows {
  using Value = typename Step::Value;
  enum : int { kSums = Step::kSums };
  Step step;
  Value *partials = nullptr; // for each sum so many slots
  Int64 slots = 0;
  mutable Value sums[kSums + 1] = {}; // one more, since there may be none
};

template <class Step> struct FusedRow {
  const FusedRows<Step> &y;
  Int64 row;
};
// A row that may have a slot of its own among the partial sums; -1 if it has none.
template <class Step> struct FusedOpenRow {
  const FusedRows<Step> &y;
  Int64 row;
  Int64 slot;
};

template <class Step>
__device__ __forceinline__ const FusedRows<Step> &ofThread(const FusedRows<Step> &y) {
  return y;
}
template <class Step, class Row>
__device__ __forceinline__ FusedRow<Step> operator+(const FusedRows<Step> &y, Row row) {
  return {y, Int64(row)};
}
template <class Step, class Row>
__device__ __forceinline__ FusedOpenRow<Step> openRowOf(const FusedRows<Step> &y, Row row,
                                                        OpenRow open) {
  return {y, Int64(row), open.isOpen() ? Int64(gridDim.x) + open.last : -1};
}

template <class Step, class Row>
__device__ __forceinline__ void prefetchRows(const FusedRows<Step> &y, Row first, Row end) {
  for (Row row = first + Row(threadIdx.x % 32); row < end; row += 32)
    y.step.prefetchRow(Int64(row));
}

template <bool readsY, class Step, class Value>
__device__ __forceinline__ void storeResult(const FusedRow<Step> &row, Value /*alpha*/, Value sum,
                                            Value /*beta*/) {
  row.y.step.run(row.row, sum, row.y.sums);
}
template <bool readsY, class Step, class Value>
__device__ __forceinline__ void storeResult(const FusedOpenRow<Step> &row, Value /*alpha*/,
                                            Value sum, Value /*beta*/) {
  constexpr int count = Step::kSums;
  if (row.slot < 0 || count == 0)
    return row.y.step.run(row.row, sum, row.y.sums);
  Value own[count + 1] = {};
  row.y.step.run(row.row, sum, own);
#pragma unroll
  for (int s = 0; s < count; ++s)
    row.y.partials[s * row.y.slots + row.slot] = own[s];
}

// --- The sums over rows

// Adds up the sums of all threads of a block; thread 0 has the result.
template <int threads, int count, class Value>
__device__ __forceinline__ void sumOfThreads(Value *sums, Value *ofWarps) {
  static_assert(threads % 32 == 0 && threads <= 1024);
  constexpr int warps = threads / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int s = 0; s < count; ++s) {
    const Value sum = groupSum<32>(sums[s]);
    if (lane == 0)
      ofWarps[warp * count + s] = sum;
  }
  __syncthreads();
  if (warp > 0)
    return;
#pragma unroll
  for (int s = 0; s < count; ++s)
    sums[s] = groupSum<32>(lane < warps ? ofWarps[lane * count + s] : Value(0));
}

// Stores the sums of all threads of the block. All threads must call this after their last row.
template <int threads, class Step>
__device__ __forceinline__ void finishSums(const FusedRows<Step> &y) {
  using Value = typename Step::Value;
  constexpr int count = Step::kSums;
  SPECMV_SHARED_ARRAY(Value, ofWarps, threads / 32 * count);
  letNextBegin();
  sumOfThreads<threads, count>(y.sums, ofWarps);
  if (threadIdx.x == 0)
#pragma unroll
    for (int s = 0; s < count; ++s)
      y.partials[s * y.slots + blockIdx.x] = y.sums[s];
}

template <class T> struct FusedSumsArgs {
  const typename T::Value *partials;
  Int64 slots;
  typename T::Value *sum[kStepSums];
};

// Adds up the partial sums of all blocks: block s those of sum s.
template <class T> __device__ __forceinline__ void fusedSums(const FusedSumsArgs<T> &a) {
  using Value = typename T::Value;
  SPECMV_SHARED_ARRAY(Value, ofWarps, kSumThreads / 32);
  const Value *const partials = a.partials + blockIdx.x * a.slots;
  Value sum = 0;
  for (Int64 first = threadIdx.x; first < a.slots; first += kSumBatch * kSumThreads) {
    Value part[kSumBatch];
#pragma unroll
    for (int k = 0; k < kSumBatch; ++k)
      part[k] = loadOnceIf(first + k * kSumThreads < a.slots, partials + first + k * kSumThreads,
                           Value(0));
#pragma unroll
    for (const Value one : part)
      sum += one;
  }
  sumOfThreads<kSumThreads, 1>(&sum, ofWarps);
  // An index that the compiler does not know would put the addresses into local memory.
#pragma unroll
  for (int s = 0; s < kStepSums; ++s)
    if (threadIdx.x == 0 && int(blockIdx.x) == s)
      *a.sum[s] = sum;
}

// --- x: an expression of vectors

// X of a product by an expression: a place in it, as a pointer is a place in an array.
template <class Source> struct FusedX {
  Source source;
  Int64 place = 0;
};

template <class Source> struct SumOfTeam<FusedX<Source>> { using Type = typename Source::Value; };

template <class Source, class Distance>
__device__ __forceinline__ FusedX<Source> operator+(FusedX<Source> x, Distance i) {
  x.place += i;
  return x;
}
template <class Source>
__device__ __forceinline__ const FusedX<Source> &ofThread(const FusedX<Source> &x) {
  return x;
}
template <class Source>
__device__ __forceinline__ typename Source::Value loadReusedIf(bool wanted,
                                                               const FusedX<Source> &x) {
  return x.source.valueIf(wanted, x.place);
}
template <class Source>
__device__ __forceinline__ typename Source::Value loadReused(const FusedX<Source> &x) {
  return loadReusedIf(true, x);
}

} // namespace specmv
