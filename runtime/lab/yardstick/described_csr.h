// Describes a matrix in CSR to cuSPARSE, for products that plans are compared with. Only for the
// files of this folder.
#pragma once

#include "runtime/cusparse/cusparse.h"
#include "runtime/cusparse/shared_handle.h"
#include "runtime/lab/yardstick/contender.h"

namespace specmv {

// `a` has addresses on the GPU.
class DescribedCsr {
public:
  DescribedCsr(const CusparseLibrary &library, ValueType type)
      : library(library), type(type == ValueType::f32 ? CUDA_R_32F : CUDA_R_64F) {}
  DescribedCsr(const DescribedCsr &) = delete;
  DescribedCsr &operator=(const DescribedCsr &) = delete;
  ~DescribedCsr() {
    if (matrix)
      library.cusparseDestroySpMat(matrix);
  }

  llvm::Error describe(const CsrView &a) {
    const cusparseIndexType_t index =
        a.indexType == IndexType::i32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    return library.check(library.cusparseCreateConstCsr(&matrix, a.rows, a.cols, a.nnz, a.rowPtr,
                                                        a.col, a.val, index, index,
                                                        CUSPARSE_INDEX_BASE_ZERO, type),
                         "cusparseCreateConstCsr");
  }
  // These are alpha and beta in the matrix's type.
  const void *one() const { return type == CUDA_R_64F ? static_cast<const void *>(&kOne) : &kOneF; }
  const void *zero() const {
    return type == CUDA_R_64F ? static_cast<const void *>(&kZero) : &kZeroF;
  }

  const CusparseLibrary &library;
  const cudaDataType type;
  cusparseConstSpMatDescr_t matrix = nullptr;

private:
  static constexpr double kOne = 1, kZero = 0;
  static constexpr float kOneF = 1, kZeroF = 0;
};

// Times a Product with each of these algorithms. It is constructed from the library, the GPU, the
// handle and the type, then described by describe(product); time(algorithm) returns microseconds.
template <class Product, class Algorithms, class Describe>
AlgorithmTimes timesOf(const std::shared_ptr<const GpuDevice> &gpu, ValueType type,
                       const Algorithms &algorithms, const Describe &describe) {
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  auto handle = makeCusparseHandle(gpu);
  if (!handle)
    return handle.takeError();
  const GpuDevice::Current current(*gpu);
  if (llvm::Error error = current.check())
    return error;
  Product product(**library, *gpu, (*handle)->get(), type);
  if (llvm::Error error = describe(product))
    return error;
  std::vector<AlgorithmTime> out;
  llvm::Error left = llvm::Error::success();
  for (const auto &[algorithm, name] : algorithms) {
    auto us = product.time(algorithm);
    if (us)
      out.push_back({name, *us});
    else
      left = llvm::joinErrors(std::move(left), us.takeError());
  }
  if (out.empty())
    return left;
  llvm::consumeError(std::move(left));
  return out;
}

} // namespace specmv
