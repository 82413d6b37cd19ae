// Wraps cusparseSpMVOp, cuSPARSE's experimental product, which the library at run time may lack.
// Only for the files of this folder.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cusparse/library.h"

namespace specmv {

// The operands of a call. x and y are vector descriptions; each product sets their pointers.
struct CusparseOperands {
  cusparseHandle_t handle;
  cusparseConstSpMatDescr_t a;
  cusparseDnVecDescr_t x, y;
  cudaDataType type;
};

// The algorithms of SpMVOp, as its headers number them.
enum class OpAlgorithm { byDefault = 0, alg1 = 1, alg2 = 2 };

// Returns success if the library has all functions of SpMVOp and takes this algorithm, otherwise
// Status::missing.
llvm::Error hasCusparseOp(const CusparseLibrary &library, OpAlgorithm algorithm);

// A description and a plan of SpMVOp. They hold data derived from the matrix, including its values.
class CusparseOp {
public:
  // Call it with the context of the GPU current.
  static llvm::Expected<CusparseOp> make(const CusparseLibrary &library, const GpuDevice &gpu,
                                         const CusparseOperands &operands, OpAlgorithm algorithm,
                                         StreamHandle stream);
  llvm::Error run(const CusparseLibrary &library, const CusparseOperands &operands,
                  const void *alpha, const void *beta) const;
  size_t workspaceBytes() const { return workspace_.bytes(); }
  // Gives away its memory, which must be freed after this object is destroyed.
  DeviceBuffer takeWorkspace() { return std::move(workspace_); }

private:
  using Destroy = cusparseStatus_t (*)(void *);

  DeviceBuffer workspace_;
  GpuHandle<void *, Destroy> description_, plan_; // the plan is destroyed first
};

} // namespace specmv
