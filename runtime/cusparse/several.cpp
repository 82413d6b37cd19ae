// Describes the matrix and the dense vectors to cuSPARSE and times its SpMM.
#include "runtime/cusparse/several.h"

#include "runtime/cusparse/cusparse.h"
#include "runtime/cusparse/shared_handle.h"
#include "runtime/measure/measure.h"

namespace specmv {

namespace {
constexpr std::pair<cusparseSpMMAlg_t, const char *> kSpmmAlgorithms[] = {
    {CUSPARSE_SPMM_ALG_DEFAULT, "default"},
    {CUSPARSE_SPMM_CSR_ALG1, "alg1"},
    {CUSPARSE_SPMM_CSR_ALG2, "alg2"},
    {CUSPARSE_SPMM_CSR_ALG3, "alg3"}};

// The descriptions of one product, destroyed with it.
class Spmm {
public:
  Spmm(const CusparseLibrary &library, const GpuDevice &gpu, cusparseHandle_t handle,
       ValueType type)
      : library_(library), gpu_(gpu), handle_(handle),
        type_(type == ValueType::f32 ? CUDA_R_32F : CUDA_R_64F) {}
  Spmm(const Spmm &) = delete;
  Spmm &operator=(const Spmm &) = delete;
  ~Spmm() {
    if (a_)
      library_.cusparseDestroySpMat(a_);
    for (cusparseDnMatDescr_t dense : {x_, y_})
      if (dense)
        library_.cusparseDestroyDnMat(dense);
  }

  llvm::Error describe(const CsrView &a, const DenseVectors &v) {
    const cusparseIndexType_t index =
        a.indexType == IndexType::i32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    if (llvm::Error error = library_.check(
            library_.cusparseCreateConstCsr(&a_, a.rows, a.cols, a.nnz, a.rowPtr, a.col, a.val,
                                            index, index, CUSPARSE_INDEX_BASE_ZERO, type_),
            "cusparseCreateConstCsr"))
      return error;
    if (llvm::Error error = dense(x_, a.cols, v, v.x))
      return error;
    return dense(y_, a.rows, v, v.y);
  }

  llvm::Expected<double> time(cusparseSpMMAlg_t algorithm) {
    size_t bytes = 0;
    if (llvm::Error error = library_.check(
            call(library_.cusparseSpMM_bufferSize, algorithm, &bytes), "cusparseSpMM_bufferSize"))
      return error;
    auto buffer = gpu_.allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    auto *const memory = reinterpret_cast<void *>(buffer->pointer());
    if (llvm::Error error = library_.check(
            call(library_.cusparseSpMM_preprocess, algorithm, memory), "cusparseSpMM_preprocess"))
      return error;
    return measureWarm(gpu_, [&] {
      return library_.check(call(library_.cusparseSpMM, algorithm, memory), "cusparseSpMM");
    });
  }

private:
  llvm::Error dense(cusparseDnMatDescr_t &out, int64_t length, const DenseVectors &v,
                    DevicePointer at) const {
    return library_.check(
        library_.cusparseCreateDnMat(&out, length, v.count, v.areRows ? v.count : length,
                                     reinterpret_cast<void *>(at), type_,
                                     v.areRows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
  }
  template <class Function, class Last>
  cusparseStatus_t call(Function function, cusparseSpMMAlg_t algorithm, Last last) const {
    const double one = 1, zero = 0;
    const float oneF = 1, zeroF = 0;
    const bool isDouble = type_ == CUDA_R_64F;
    const void *alpha = isDouble ? static_cast<const void *>(&one) : &oneF;
    const void *beta = isDouble ? static_cast<const void *>(&zero) : &zeroF;
    return function(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                    alpha, a_, x_, beta, y_, type_, algorithm, last);
  }

  const CusparseLibrary &library_;
  const GpuDevice &gpu_;
  cusparseHandle_t handle_;
  cudaDataType type_;
  cusparseConstSpMatDescr_t a_ = nullptr;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
};
} // namespace

llvm::Expected<std::vector<SeveralTime>> timeSeveral(const std::shared_ptr<const GpuDevice> &gpu,
                                                     const CsrView &a,
                                                     const DenseVectors &vectors) {
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  if (!(*library)->cusparseSpMM || !(*library)->cusparseSpMM_preprocess ||
      !(*library)->cusparseSpMM_bufferSize || !(*library)->cusparseCreateDnMat ||
      !(*library)->cusparseDestroyDnMat)
    return fail(Status::missing, "this cuSPARSE has no SpMM");
  auto handle = makeCusparseHandle(gpu);
  if (!handle)
    return handle.takeError();
  const GpuDevice::Current current(*gpu);
  if (llvm::Error error = current.check())
    return error;
  Spmm product(**library, *gpu, (*handle)->get(), a.valueType);
  if (llvm::Error error = product.describe(a, vectors))
    return error;
  std::vector<SeveralTime> out;
  llvm::Error left = llvm::Error::success();
  for (const auto &[algorithm, name] : kSpmmAlgorithms) {
    auto us = product.time(algorithm);
    if (us)
      out.push_back({name, *us});
    else
      left = llvm::joinErrors(std::move(left), us.takeError());
  }
  if (out.empty())
    return left;
  llvm::consumeError(std::move(left)); // an algorithm may not know the order
  return out;
}

} // namespace specmv
