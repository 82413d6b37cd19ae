// Sums of runs of equal rows in a sorted list of (row, product) pairs: a warp's deterministic
// segmented reduction, the heart of COO (Bell and Garland) without its atomics.
#pragma once
#include "device.cuh"

namespace specmv {

// The inclusive sum over the lanes up to this one whose row is this lane's. Rows ascend.
template <class Value, class Row> __device__ __forceinline__ Value runScan(Row row, Value sum) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const Value below = __shfl_up_sync(kFullMask, sum, step);
    const Row belowRow = __shfl_up_sync(kFullMask, row, step);
    if (lane >= step && belowRow == row)
      sum += below;
  }
  return sum;
}

// The runs of pairs begin .. end - 1, begin < end, summed by one warp. `pairs` has row(i) and
// product(i). `out` gets each run once, from one lane: whole(row, sum), or for the first run if it
// began before (headOpen) head(row, sum), or for the last if it goes on (tailOpen) tail(row, sum).
// A run that is open at both ends goes to head, and a 0 of its row to tail, so that the partial
// sums of a row are neighbours in the list of all heads and tails. The loads of `stripes` times 32
// pairs are issued together, to cover their latency.
template <int stripes, class Row, class Value, class Offset, class Pairs, class Out>
__device__ __forceinline__ void sumRuns(const Pairs &pairs, Offset begin, Offset end, bool headOpen,
                                        bool tailOpen, Out &out) {
  const int lane = threadIdx.x % 32;
  const Row firstRow = pairs.row(begin);
  const Row lastRow = pairs.row(end - 1);
  auto close = [&](Row row, Value sum) {
    if (headOpen && row == firstRow)
      out.head(row, sum);
    else
      out.whole(row, sum);
  };

  Row carryRow = firstRow;
  Value carry = 0;
  for (Offset base = begin; base < end; base += 32 * stripes) {
    Row rows[stripes];
    Value sums[stripes];
#pragma unroll
    for (int s = 0; s < stripes; ++s) {
      const Offset i = base + s * 32 + lane;
      rows[s] = i < end ? pairs.row(i) : lastRow;
      sums[s] = i < end ? pairs.product(i) : Value(0);
    }
#pragma unroll
    for (int s = 0; s < stripes; ++s) {
      const Row row = rows[s];
      Value sum = runScan(row, sums[s]);
      if (row == carryRow)
        sum += carry;
      else if (lane == 0)
        close(carryRow, carry);
      const Row next = __shfl_down_sync(kFullMask, row, 1);
      if (lane < 31 && next != row)
        close(row, sum);
      carryRow = __shfl_sync(kFullMask, row, 31);
      carry = __shfl_sync(kFullMask, sum, 31);
    }
  }

  if (lane != 0)
    return;
  const bool openAtBothEnds = headOpen && tailOpen && carryRow == firstRow;
  if (!tailOpen || openAtBothEnds)
    close(carryRow, carry);
  if (tailOpen)
    out.tail(carryRow, openAtBothEnds ? Value(0) : carry);
}

} // namespace specmv
