// cuSPARSE, opened at run time, as the yardstick of our own products: y = alpha A x + beta y by
// each of its algorithms. No CUDA header is needed to use this.
#pragma once

#include "runtime/cusparse_formats.h"
#include "runtime/gpu_device.h"

#include <memory>
#include <string>
#include <vector>

namespace specmv {

// "cuSPARSE 12.6.3" of the library that is used; empty where there is none.
std::string cusparseVersion();
// The same of the first of these libraries that opens. Status::missing where none does, or where it
// lacks a function.
llvm::Expected<std::string> cusparseVersionOf(const std::vector<std::string> &paths);

// A matrix on the device for cuSPARSE: its CSR arrays, uploaded once for all algorithms, and the
// library's handle.
struct CusparseMatrix {
  std::shared_ptr<const GpuDevice> gpu;
  CsrView host; // what was uploaded; its arrays must stay while products are being prepared
  DeviceBuffer rowPtr, col, val;
  std::shared_ptr<void> handle; // cusparseHandle_t, which is slow to make and serves all products

  // Status::missing where there is no cuSPARSE or no room; badCall where `a` has no values.
  static llvm::Expected<std::shared_ptr<const CusparseMatrix>>
  upload(std::shared_ptr<const GpuDevice> gpu, const CsrView &a);
};

// One algorithm made ready for one matrix and two vectors. It keeps the matrix alive; the vectors
// are the caller's. Products of one matrix share its handle, so one thread at a time may run them.
class CusparseProduct {
public:
  // x has matrix->host.cols and y matrix->host.rows values of the matrix's type on its device.
  // Status::notApplicable as in cusparseApplies() and where there is no room for the arrays
  // and the workspace of the algorithm; missing where the library is too old for the algorithm.
  static llvm::Expected<CusparseProduct> prepare(std::shared_ptr<const CusparseMatrix> matrix,
                                                 const CusparseAlgorithm &algorithm,
                                                 DevicePointer x, DevicePointer y);
  CusparseProduct(CusparseProduct &&other) noexcept;
  CusparseProduct &operator=(CusparseProduct &&other) noexcept;
  ~CusparseProduct();

  // Puts y = alpha A x + beta y on the stream and returns.
  llvm::Error run(double alpha, double beta, StreamHandle stream) const;

  // Milliseconds from the uploaded CSR arrays to the first product: conversion, descriptors,
  // workspace, preprocessing.
  double setupMs() const;

private:
  struct State;
  explicit CusparseProduct(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace specmv
