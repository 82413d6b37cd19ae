// Fills the lines of QCSR's slices (templates/qcsr_slices.cuh): local columns and values.
#pragma once
#include "pack/entries.cuh"
#include "pack/qcsr_sizes.cuh"

namespace specmv {

template <class Index, class Offset, class Value, class Local> struct QcsrFillArgs {
  const Index *csrCol;
  Entries<Value> entries;
  // For each slice and its lanes, as in QcsrPlaceArgs:
  const Offset *sliceLine;
  const Index *sliceOrigin;
  const Index *segmentBegin;
  const unsigned *segmentLength;
  Local *local;
  long long slices, lines;
  int padding; // the local column for slots without an entry
};

// Returns the slice of a line; each slice has at least one line.
template <class Offset>
__device__ __forceinline__ Int64 qcsrSliceOf(const Offset *sliceLine, Int64 slices, Int64 line) {
  Int64 low = 0, high = slices - 1;
  while (low < high) {
    const Int64 middle = low + (high - low + 1) / 2;
    if (sliceLine[middle] <= line)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// Fills lines from .. to - 1 of a slice.
template <class Index, class Offset, class Value, class Local>
__device__ __forceinline__ void qcsrFillSlice(const QcsrFillArgs<Index, Offset, Value, Local> &a,
                                              Int64 slice, Int64 from, Int64 to, int lane) {
  const Int64 begin = a.segmentBegin[slice * 32 + lane], origin = a.sliceOrigin[slice];
  const Int64 length = a.segmentLength[slice * 32 + lane], firstLine = a.sliceLine[slice];
  for (Int64 first = from; first < to; first += kQcsrFillBatch) {
    Local local[kQcsrFillBatch];
    typename Entries<Value>::Item item[kQcsrFillBatch];
#pragma unroll
    for (int i = 0; i < kQcsrFillBatch; ++i) {
      const Int64 k = first + i - firstLine;
      const bool isEntry = k < length && first + i < to;
      local[i] = static_cast<Local>(isEntry ? a.csrCol[begin + k] - origin : a.padding);
      item[i] = a.entries.item(isEntry, begin + k);
    }
#pragma unroll
    for (int i = 0; i < kQcsrFillBatch; ++i)
      if (first + i < to) {
        a.local[qcsrSlot(first + i, lane)] = local[i];
        a.entries.put(qcsrSlot(first + i, lane), item[i]);
      }
  }
}

// A warp fills consecutive lines, of which any number may belong to one slice.
template <class Index, class Offset, class Value, class Local>
__device__ __forceinline__ void qcsrFill(const QcsrFillArgs<Index, Offset, Value, Local> &a) {
  const Int64 warp = Int64(blockIdx.x) * (kSetupBlock / 32) + threadIdx.x / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Int64 first = warp * kQcsrFilledLines;
  if (first >= a.lines)
    return;
  const Int64 end = min(a.lines, first + kQcsrFilledLines);
  Int64 slice = qcsrSliceOf(a.sliceLine, a.slices, first);
  for (Int64 line = first; line < end; ++slice) {
    const Int64 stop = min(end, Int64(a.sliceLine[slice + 1]));
    qcsrFillSlice(a, slice, line, stop, lane);
    line = stop;
  }
}

} // namespace specmv
