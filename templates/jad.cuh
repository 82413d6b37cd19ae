// JAD (Saad; Wang, Gu and Li 2017, section 2): rows are sorted by descending length, and their k-th
// entries are stored together as the jagged diagonal k. One thread per row.
#pragma once
#include "shared/padded.cuh"

namespace specmv {

struct JadPlan {
  int blockThreads;
  int batch;   // diagonals whose entries a thread loads together
  bool readsY; // false: beta is 0 in every product
};

template <class T> struct JadArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  const Offset *jdPtr; // first slot of each diagonal, a multiple of 32; then the end, several times
  typename T::Columns col; // -1 is padding, which lies at the end of a diagonal
  typename T::Values val;
  typename T::X x;
  typename T::Y y;
  Value alpha = 1, beta = 0;
  Offset rows;
  Streamed<Offset> perm; // the row at each place of the sorted order
};

// The slots of a row in `count` diagonals. A diagonal has slots for whole warps, so it exists for
// all lanes of a warp or for none.
template <int count, class Offset> struct JadSlots {
  enum : bool { kMayEnd = true };
  Offset place;
  Offset start[count + 2]; // one diagonal more than needed: it tells whether there is another batch
  __device__ JadSlots(const Offset *jdPtr, Offset place) : place(place) {
#pragma unroll
    for (int i = 0; i < count + 2; ++i)
      start[i] = loadReused(jdPtr + i);
  }
  __device__ Offset at(int i) const { return start[i] + place; }
  __device__ bool has(int i) const { return place < start[i + 1] - start[i]; }
};

template <JadPlan plan, class T> __device__ __forceinline__ void jad(const JadArgs<T> &a) {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024);
  static_assert(plan.batch >= 1);
  const Offset place = Offset(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (place >= a.rows)
    return;
  const Offset row = loadOnce(a.perm + place);

  Value sum = 0;
  bool goesOn = true;
  for (const Offset *jdPtr = a.jdPtr; goesOn; jdPtr += plan.batch) {
    const JadSlots<plan.batch, Offset> slots(jdPtr, place);
    sum = paddedBatch<plan.batch>(a.col, a.val, a.x, slots, sum);
    goesOn = slots.has(plan.batch);
  }
  storeResult<plan.readsY>(a.y + row, a.alpha, sum, a.beta);
}

} // namespace specmv
