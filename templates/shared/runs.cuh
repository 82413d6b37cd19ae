// Sums runs of equal rows in a sorted list of (row, product) pairs: a segmented reduction by a warp
// and by a block, as in the COO of Bell and Garland 2009, but with the same bits each time it runs.
#pragma once
#include "shared/device.cuh"

namespace specmv {

// Pairs begin .. end - 1 of a list, begin < end. The first run is open at the head if it began
// before the range; the last run is open at the tail if it continues after the range.
template <class Row, class Offset> struct RunRange {
  Offset begin, end;
  Row firstRow, lastRow;
  bool headOpen, tailOpen;
};

// Makes the range, of a list of `count` pairs. Its four loads do not depend on each other.
template <class Row, class Offset, class Pairs>
__device__ __forceinline__ RunRange<Row, Offset> runRange(const Pairs &pairs, Offset begin,
                                                          Offset end, Offset count) {
  const Row before = pairs.row(begin > 0 ? begin - 1 : begin);
  const Row first = pairs.row(begin);
  const Row last = pairs.row(end - 1);
  const Row after = pairs.row(end < count ? end : end - 1);
  return {begin, end, first, last, begin > 0 && before == first, end < count && after == last};
}

// The sum over this lane and the lanes before it that have the same row. Rows ascend by lane.
template <class Value, class Row> __device__ __forceinline__ Value runScan(Row row, Value sum) {
  const int lane = threadIdx.x % 32;
  const Row rowBelow = __shfl_up_sync(kFullMask, row, 1);
  const unsigned begins = __ballot_sync(kFullMask, lane == 0 || rowBelow != row);
  // The number of lanes before this one that have its row.
  const int reach = lane - 31 + __clz(int(begins & kFullMask >> (31 - lane)));
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const Value below = __shfl_up_sync(kFullMask, sum, step);
    if (step <= reach)
      sum += below;
  }
  return sum;
}

enum : int { kNoRowBeyond = -2 }; // differs from every row, and from -1, which is "no row"

// Sums the runs of a range. Called by one warp. `pairs` has row(i) and product(i). `out` receives
// each run once, from one lane: by whole(row, sum, before) or, if it is open, by head(row, sum) or
// tail(row, sum). A run that is open at both ends goes to head, and a 0 of the same row to tail, so
// that the partial sums of a row are neighbours in the list of all heads and tails. The loads of 32
// x stripes pairs are issued together, to hide their latency. Then, before anything is summed,
// before(row, wanted) is called for every run that ends among them, so that it can load early.
template <int stripes, class Value, class Row, class Offset, class Pairs, class Out>
__device__ __forceinline__ void sumRuns(const Pairs &pairs, const RunRange<Row, Offset> &range,
                                        Out &out) {
  const int lane = threadIdx.x % 32;
  const auto isHead = [&](Row row) { return range.headOpen && row == range.firstRow; };
  const auto isTail = [&](Row row) { return range.tailOpen && row == range.lastRow; };

  Row carryRow = range.firstRow;
  Value carry = 0;
  for (Offset base = range.begin; base < range.end; base += 32 * stripes) {
    Row rows[stripes];
    Value sums[stripes], before[stripes];
    bool ends[stripes], isWhole[stripes];
#pragma unroll
    for (int s = 0; s < stripes; ++s) {
      // After the end, repeats the last pair with a product of 0, so that loads need no branch.
      const Offset i = base + s * 32 + lane;
      const Offset at = i < range.end ? i : range.end - 1;
      const Value product = pairs.product(at);
      rows[s] = pairs.row(at);
      sums[s] = i < range.end ? product : Value(0);
    }
    const Row rowBeyond =
        range.end - base > 32 * stripes ? pairs.row(base + 32 * stripes) : int{kNoRowBeyond};
#pragma unroll
    for (int s = 0; s < stripes; ++s) {
      Row next = __shfl_down_sync(kFullMask, rows[s], 1);
      const Row afterStripe =
          s + 1 < stripes ? __shfl_sync(kFullMask, rows[(s + 1) % stripes], 0) : rowBeyond;
      if (lane == 31)
        next = afterStripe;
      ends[s] = next != rows[s];
      isWhole[s] = ends[s] && rows[s] >= 0 && !isHead(rows[s]) && !isTail(rows[s]);
      before[s] = out.before(rows[s], isWhole[s]);
    }
#pragma unroll
    for (int s = 0; s < stripes; ++s) {
      const Row row = rows[s];
      Value sum = runScan(row, sums[s]);
      if (row == carryRow)
        sum += carry;
      // Three separate conditions: nested branches would need more registers.
      if (isWhole[s])
        out.whole(row, sum, before[s]);
      if (ends[s] && isHead(row))
        out.head(row, sum);
      if (ends[s] && isTail(row))
        out.tail(row, isHead(row) ? Value(0) : sum);
      carryRow = __shfl_sync(kFullMask, row, 31);
      carry = __shfl_sync(kFullMask, sum, 31);
    }
  }
}

// Pairs in shared memory; row -1 marks the absence of a pair.
template <class Value, class Row> struct StoredPairs {
  const Row *rows;
  const Value *sums;
  template <class Offset> __device__ Row row(Offset i) const { return rows[i]; }
  template <class Offset> __device__ Value product(Offset i) const { return sums[i]; }
};

// Adds the sums of whole runs to y and keeps those of open runs. Only one warp has the whole of a
// run, so y[row] receives one addition and its order cannot matter. In double it is an atomic
// addition, because the thread does not wait for its result. In float an atomic addition replaces
// subnormal numbers by 0 (PTX ISA, red), so the warp reads y and adds. It reads y as soon as it
// knows the row, so as not to wait for memory at every run.
template <class Value, class Row> struct RunSums {
  enum : bool { kReadsY = sizeof(Value) == sizeof(float) };
  Value *y;
  Value alpha;
  Row *openRow; // [0] head, [1] tail
  Value *openSum;
  __device__ Value before(Row row, bool wanted) const {
    return kReadsY && wanted ? y[row] : Value(0);
  }
  __device__ void whole(Row row, Value sum, Value before) {
    if constexpr (kReadsY)
      y[row] = before + alpha * sum;
    else
      atomicAdd(y + row, alpha * sum);
  }
  __device__ void head(Row row, Value sum) { openRow[0] = row, openSum[0] = sum; }
  __device__ void tail(Row row, Value sum) { openRow[1] = row, openSum[1] = sum; }
};

// Sums the runs of pairs begin .. end - 1 of `count`, begin < end. Called by a block. Each warp
// takes `share` pairs. The first warp then adds up the sums that the warps left open, and passes
// the sums that the block leaves open to `out`. headOpen and tailOpen tell whether its first and
// its last run are open. Every thread of the block must call this, and none may call it again
// before a barrier.
template <int blockThreads, int stripes, class Value, class Row, class Offset, class Pairs>
__device__ __forceinline__ void sumRunsInBlock(const Pairs &pairs, Offset begin, Offset end,
                                               Offset count, Offset share, bool headOpen,
                                               bool tailOpen, RunSums<Value, Row> out) {
  constexpr int warps = blockThreads / 32;
  SPECMV_SHARED_ARRAY(Row, openRow, 2 * warps);
  SPECMV_SHARED_ARRAY(Value, openSum, 2 * warps);
  if (threadIdx.x < 2 * warps)
    openRow[threadIdx.x] = -1, openSum[threadIdx.x] = 0;
  __syncthreads();

  const int warp = threadIdx.x / 32;
  const Offset from = begin + warp * share;
  if (from < end) {
    const Offset to = end - from < share ? end : from + share;
    RunSums<Value, Row> own{out.y, out.alpha, openRow + 2 * warp, openSum + 2 * warp};
    sumRuns<stripes, Value>(pairs, runRange<Row>(pairs, from, to, count), own);
  }
  __syncthreads();
  if (warp == 0)
    sumRuns<1, Value>(
        StoredPairs<Value, Row>{openRow, openSum},
        RunRange<Row, Offset>{0, 2 * warps, openRow[0], openRow[2 * warps - 1], headOpen, tailOpen},
        out);
}

} // namespace specmv
