// Wraps the experimental products of cuSPARSE, cusparseSpMVOp and cusparseSpMVGeneric, which the
// library at run time may lack. Only for the files of this folder.
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

// alpha or beta as cuSPARSE reads it: on the host, in the type of the computation.
class CusparseFactor {
public:
  CusparseFactor(double value, cudaDataType type)
      : f32_(static_cast<float>(value)), f64_(value), type_(type) {}
  const void *pointer() const {
    return type_ == CUDA_R_32F ? static_cast<const void *>(&f32_) : &f64_;
  }

private:
  float f32_;
  double f64_;
  cudaDataType type_;
};

enum class ExperimentalCall { spmvOp, spmvGeneric };

// An experimental product and its algorithm, as the library numbers those of the call.
struct ExperimentalRoutine {
  ExperimentalCall call;
  int algorithm;
};

// Returns success if the library has all functions of the call and takes this algorithm, otherwise
// Status::missing.
llvm::Error hasExperimental(const CusparseLibrary &library, const ExperimentalRoutine &routine);

// A call with its descriptions and workspace. They may hold data derived from the matrix, including
// its values.
class ExperimentalProduct {
public:
  // Call it with the context of the GPU current.
  static llvm::Expected<ExperimentalProduct>
  make(const CusparseLibrary &library, const GpuDevice &gpu, const CusparseOperands &operands,
       const ExperimentalRoutine &routine, StreamHandle stream);
  llvm::Error run(const CusparseLibrary &library, const CusparseOperands &operands,
                  const void *alpha, const void *beta) const;
  size_t workspaceBytes() const { return workspace_.bytes(); }
  // Gives away its memory, which must be freed after this object is destroyed.
  DeviceBuffer takeWorkspace() { return std::move(workspace_); }

private:
  using Destroy = cusparseStatus_t (*)(void *);
  struct Making;

  llvm::Error allocate(const GpuDevice &gpu, size_t bytes);
  llvm::Error makeOp(const Making &with);
  llvm::Error makeGeneric(const Making &with);

  DeviceBuffer workspace_;
  GpuHandle<void *, Destroy> description_, plan_; // the plan, of SpMVOp only, is destroyed first
};

} // namespace specmv
