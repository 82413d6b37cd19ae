// The planted kernels: CUDA source like emitted ones, compiled with the same tracing. With
// Fault::none each is right and must pass without a finding.
#include "tests/simt/simt.h"

#include "tests/simt/planted_kernels.h"

namespace specmv::simt {
namespace {

template <Fault fault> inline unsigned maskOf() {
  const unsigned group = fault == Fault::wrongMask ? 0 : threadIdx.x % 32 / 8 * 8;
  return 0xffU << group;
}

// y = A x in CSR, 8 lanes per row.
template <Fault fault> __global__ void csrKernel(const PlantedArgs &a) {
  const int lane = threadIdx.x % 8,
            row = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x) / 8;
  const bool live = row < a.rows;
  if (fault == Fault::leavesGroup && row >= a.rows + int(threadIdx.x % 2))
    return;
  const int end = live ? a.rowPtr[row + 1] + (fault == Fault::readsPastEnd) : 0;
  float sum = 0;
  for (int k = (live ? a.rowPtr[row] : 0) + lane; k < end; k += 8)
    sum = fmaf(a.val[fault == Fault::readsPastEnd ? 0 : k],
               a.x[a.col[k] + (fault == Fault::readsFarAway) * (1 << 21)], sum);
  for (int step = fault == Fault::missingLane ? 2 : 4; step > 0; step /= 2) {
    if (fault == Fault::otherPlace && lane < 4) // NOLINT(bugprone-branch-clone): two places
      sum += __shfl_down_sync(maskOf<fault>(), sum, step, 8);
    else
      sum += __shfl_down_sync(maskOf<fault>(), sum, step, 8);
  }
  if ((live || (fault == Fault::writesPastEnd && row == a.rows)) && lane == 0)
    a.y[row] = sum;
  if (fault == Fault::writesConstant && lane == 0)
    const_cast<float *>(a.x)[0] = 1;
}

// y = A x in ELL, one lane per row; col is -1 in padding.
template <Fault fault> __global__ void ellKernel(const PlantedArgs &a) {
  const int row = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  if (row >= a.rows)
    return;
  float sum = 0;
  for (int k = 0; k < a.padded; ++k) {
    const int column = a.col[k * a.rows + row];
    const float x = column >= 0 || fault == Fault::readsPadding ? a.x[column < 0 ? 0 : column] : 0;
    sum = fmaf(a.val[k * a.rows + row], x, sum);
  }
  a.y[row] = sum;
}

// Sums of two warps' elements of x, through shared memory; 32 numbers per block.
template <Fault fault> __global__ void sharedKernel(const PlantedArgs &a) {
  SPECMV_SHARED_ARRAY(float, part, 64);
  if (fault != Fault::uninitialized || threadIdx.x < 60)
    part[fault == Fault::sameSlot ? 0 : threadIdx.x] = a.x[threadIdx.x];
  if (fault == Fault::branchedBarrier) {
    if (threadIdx.x < 32)
      __syncthreads();
  } else if (fault == Fault::twoBarriers) {
    if (threadIdx.x < 32) // NOLINT(bugprone-branch-clone): two barriers
      __syncthreads();
    else
      __syncthreads();
  } else if (fault != Fault::noBarrier) {
    __syncthreads();
  }
  if (threadIdx.x < 32)
    a.y[blockIdx.x * 32 + threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 32];
}

// Each lane passes a number to the next one of its warp through shared memory.
template <Fault fault> __global__ void warpKernel(const PlantedArgs &a) {
  SPECMV_SHARED_ARRAY(float, box, 32);
  const unsigned next = (threadIdx.x + 1) % 32;
  box[threadIdx.x] = a.x[threadIdx.x];
  float unused = 0;
  if (fault == Fault::noWarpBarrier)
    unused = __shfl_sync(0xffffffffU, 0.0f, 0);
  else
    __syncwarp();
  a.y[threadIdx.x] = box[next] + unused;
}

// The last of all blocks sums the values that every block left in scratch memory.
template <Fault fault> __global__ void lastBlockKernel(const PlantedArgs &a) {
  SPECMV_SHARED_ARRAY(bool, last, 1);
  const unsigned slot = blockIdx.x * blockDim.x + threadIdx.x;
  a.scratch[slot] = a.x[slot];
  if (fault == Fault::none || fault == Fault::plainCounter)
    __threadfence();
  if (fault != Fault::fenceBeforeBarrier)
    __syncthreads();
  if (threadIdx.x == 0) {
    if (fault == Fault::fenceBeforeBarrier)
      __threadfence();
    last[0] = atomicAdd(a.counter, 1U) == gridDim.x - 1;
  }
  if (fault == Fault::plainCounter && threadIdx.x == 1)
    a.y[1 + blockIdx.x] = static_cast<float>(*a.counter);
  __syncthreads();
  if (!last[0] || threadIdx.x != 0)
    return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x * blockDim.x; ++i)
    sum += a.scratch[i];
  a.y[0] = sum;
  *a.counter = 0;
}

// Every block writes its own element.
template <Fault fault> __global__ void blockKernel(const PlantedArgs &a) {
  if (threadIdx.x == 0)
    a.y[fault == Fault::blocksCollide ? 0 : blockIdx.x] += a.x[blockIdx.x];
}

// Wide loads of x, which starts at an even element.
template <Fault fault> __global__ void wideKernel(const PlantedArgs &a) {
  const float *x = a.x + (fault == Fault::none ? 0 : 1);
  if (fault == Fault::misalignedVector)
    a.y[threadIdx.x] = float4(*reinterpret_cast<const float4 *>(x)).w;
  else
    a.y[threadIdx.x] = static_cast<float>(*reinterpret_cast<const double *>(x));
}

} // namespace

extern const Planted kPlanted[] = {
    {"csr", Fault::none, csrKernel<Fault::none>, 3, 64, "", false},
    {"csr, read past the end", Fault::readsPastEnd, csrKernel<Fault::readsPastEnd>, 3, 64,
     "out of bounds: read of col", false},
    {"csr, wild column", Fault::readsFarAway, csrKernel<Fault::readsFarAway>, 3, 64,
     "out of bounds: read of x", false},
    {"csr, write past the end", Fault::writesPastEnd, csrKernel<Fault::writesPastEnd>, 3, 64,
     "out of bounds: write of y", false},
    {"csr, writes x", Fault::writesConstant, csrKernel<Fault::writesConstant>, 3, 64,
     "constant: write of x", true},
    {"csr, lanes that end", Fault::leavesGroup, csrKernel<Fault::leavesGroup>, 3, 64, "have ended",
     false},
    {"csr, wrong mask", Fault::wrongMask, csrKernel<Fault::wrongMask>, 3, 64, "not in the mask",
     false},
    {"csr, two places", Fault::otherPlace, csrKernel<Fault::otherPlace>, 3, 64, "divergence: lane",
     false},
    {"csr, missing lane", Fault::missingLane, csrKernel<Fault::missingLane>, 3, 64, "", false},
    {"ell", Fault::none, ellKernel<Fault::none>, 1, 64, "", false},
    {"ell, reads padding", Fault::readsPadding, ellKernel<Fault::readsPadding>, 1, 64, "", false},
    {"shared", Fault::none, sharedKernel<Fault::none>, 2, 64, "", false},
    {"shared, no barrier", Fault::noBarrier, sharedKernel<Fault::noBarrier>, 2, 64, "of part[",
     true},
    {"shared, same slot", Fault::sameSlot, sharedKernel<Fault::sameSlot>, 2, 64, "race: ", true},
    {"shared, uninitialized", Fault::uninitialized, sharedKernel<Fault::uninitialized>, 2, 64,
     "uninitialized: ", true},
    {"shared, branched barrier", Fault::branchedBarrier, sharedKernel<Fault::branchedBarrier>, 2,
     64, "was reached by 32 of 64", false},
    {"shared, two barriers", Fault::twoBarriers, sharedKernel<Fault::twoBarriers>, 2, 64,
     "while others wait in the barrier", false},
    {"warp", Fault::none, warpKernel<Fault::none>, 1, 32, "", false},
    {"warp, shuffle for barrier", Fault::noWarpBarrier, warpKernel<Fault::noWarpBarrier>, 1, 32,
     "race: ", true},
    {"last block", Fault::none, lastBlockKernel<Fault::none>, 4, 32, "", false},
    {"last block, no fence", Fault::noFence, lastBlockKernel<Fault::noFence>, 4, 32,
     "race: ", true},
    {"last block, no barrier", Fault::fenceBeforeBarrier,
     lastBlockKernel<Fault::fenceBeforeBarrier>, 4, 32, "race: ", true},
    {"last block, counter read plainly", Fault::plainCounter, lastBlockKernel<Fault::plainCounter>,
     4, 32, "race: ", true},
    {"blocks", Fault::none, blockKernel<Fault::none>, 4, 32, "", false},
    {"blocks, same row", Fault::blocksCollide, blockKernel<Fault::blocksCollide>, 4, 32,
     "race: ", true},
    {"wide", Fault::none, wideKernel<Fault::none>, 1, 1, "", false},
    {"wide, misaligned double", Fault::misaligned, wideKernel<Fault::misaligned>, 1, 1,
     "misaligned", true},
    {"wide, misaligned vector", Fault::misalignedVector, wideKernel<Fault::misalignedVector>, 1, 1,
     "misaligned", false},
};
extern const unsigned kPlantedCount = sizeof(kPlanted) / sizeof(kPlanted[0]);

} // namespace specmv::simt
