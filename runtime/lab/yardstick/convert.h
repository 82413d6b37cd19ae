// Converts CSR on a GPU to the arrays that a routine of cuSPARSE reads, with cuSPARSE's own
// functions. Including this file needs no CUDA header.
#pragma once

#include "generator/format.h"
#include "runtime/cuda/workspace.h"
#include "runtime/cusparse/cusparse.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// A matrix in those arrays. Some are the caller's, others are made.
struct CusparseMatrix {
  Layout layout = {}; // not on the host
  std::vector<std::pair<std::string, DevicePointer>> arrays = {};
  std::vector<DeviceBuffer> made = {};

  ArrayFinder finder() const; // refers to this object
};

// Copies a layout that the host packed to the GPU.
llvm::Expected<std::shared_ptr<const CusparseMatrix>> uploadedMatrix(const GpuDevice &gpu,
                                                                     const Layout &layout);

// Returns true if cuSPARSE can make the arrays of this plan. CSR needs none, and there is no
// function for sliced ELL. The functions have 32-bit indices only.
bool cusparseConverts(const Plan &plan);

// Converts in order on the default stream; use the results on that stream only, until it was
// synchronized. The matrix must have 32-bit indices.
llvm::Expected<CusparseMatrix> convertOnGpu(const std::shared_ptr<const GpuDevice> &gpu,
                                            const CusparseHandle &handle, const Plan &plan,
                                            const Problem &problem, const DeviceCsr &csr,
                                            const DeviceArrays &arrays);

} // namespace specmv
