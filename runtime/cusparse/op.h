// cusparseSpMVOp, cuSPARSE's experimental product, where the library at run time has it. Internal
// to cusparse.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cusparse/library.h"

namespace specmv {

// What a call is about. x and y are overwritten vectors of cuSPARSE's, whose pointers may change.
struct CusparseOperands {
  cusparseHandle_t handle;
  cusparseConstSpMatDescr_t a;
  cusparseDnVecDescr_t x, y;
  cudaDataType type;
};

// Success where the library has SpMVOp in a form that is known here.
llvm::Error hasCusparseOp(const CusparseLibrary &library);

// A description and plan of SpMVOp, which hold what it made of the matrix, values included.
class CusparseOp {
public:
  // In the context of the GPU, which must be current.
  static llvm::Expected<CusparseOp> make(const CusparseLibrary &library, const GpuDevice &gpu,
                                         const CusparseOperands &operands);
  llvm::Error run(const CusparseLibrary &library, const CusparseOperands &operands,
                  const void *alpha, const void *beta) const;
  size_t workspaceBytes() const { return workspace_.bytes(); }

private:
  using Destroy = cusparseStatus_t (*)(void *);

  DeviceBuffer workspace_;
  GpuHandle<void *, Destroy> description_, plan_; // the plan is destroyed first
};

} // namespace specmv
