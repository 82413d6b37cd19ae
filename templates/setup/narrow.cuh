// Copies CSR arrays with 64-bit indices to arrays with 32 bits, which every other set-up kernel
// reads, and with half of the bytes.
#pragma once
#include "setup/block.cuh"

namespace specmv {

struct NarrowArgs {
  const Int64 *csrRowPtr;
  const Int64 *csrCol; // the ends of csrRowPtr give its length, so they are checked first
  int *rowPtr;
  int *col;
  long long rows, nnz;
};

// A number beyond 32 bits is wrong in a matrix whose sizes have 32 bits. It becomes -1, which is
// wrong too, so that whoever checks the narrow arrays finds the fault.
__device__ __forceinline__ int narrowed(Int64 number) {
  return number < 0 || number > 0x7fffffff ? -1 : static_cast<int>(number);
}

__device__ __forceinline__ void narrowCsr(const NarrowArgs &a) {
  const bool hasEnds = a.csrRowPtr[0] == 0 && a.csrRowPtr[a.rows] == a.nnz;
  const long long first = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x,
                  step = static_cast<long long>(gridDim.x) * kSetupBlock;
  for (long long i = first; i <= a.rows; i += step)
    a.rowPtr[i] = narrowed(a.csrRowPtr[i]);
  for (long long i = first; hasEnds && i < a.nnz; i += step)
    a.col[i] = narrowed(a.csrCol[i]);
}

} // namespace specmv
