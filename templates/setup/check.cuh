// Checks that the CSR arrays form a matrix.
#pragma once
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct CheckCsrArgs {
  const Index *csrRowPtr;
  const Index *csrCol; // the ends of csrRowPtr give its length, so they are checked first
  Int64 *faults;       // 0 before the call; 1 if there is a fault
  long long rows, cols, nnz;
};

template <class Index> __device__ __forceinline__ void checkCsr(const CheckCsrArgs<Index> &a) {
  bool fault = a.csrRowPtr[0] != 0 || a.csrRowPtr[a.rows] != a.nnz;
  const long long count = fault ? 0 : max(a.rows, a.nnz);
  for (long long i = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * kSetupBlock) {
    fault = fault || (i < a.rows && rowLength(a.csrRowPtr, i) < 0);
    fault = fault || (i < a.nnz && (a.csrCol[i] < 0 || a.csrCol[i] >= a.cols));
  }
  if (fault)
    atomicMax(a.faults, 1LL);
}

} // namespace specmv
