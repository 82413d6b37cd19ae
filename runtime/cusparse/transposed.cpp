// Describes the matrix and the vectors to cuSPARSE and times CUSPARSE_OPERATION_TRANSPOSE.
#include "runtime/cusparse/transposed.h"

#include "runtime/cusparse/cusparse.h"
#include "runtime/cusparse/shared_handle.h"
#include "runtime/measure/measure.h"

namespace specmv {

namespace {
constexpr std::pair<cusparseSpMVAlg_t, const char *> kAlgorithms[] = {
    {CUSPARSE_SPMV_ALG_DEFAULT, "default"},
    {CUSPARSE_SPMV_CSR_ALG1, "alg1"},
    {CUSPARSE_SPMV_CSR_ALG2, "alg2"}};

// The descriptions of one product, destroyed with it.
class Transposed {
public:
  Transposed(const CusparseLibrary &library, const GpuDevice &gpu, cusparseHandle_t handle,
             ValueType type)
      : library_(library), gpu_(gpu), handle_(handle),
        type_(type == ValueType::f32 ? CUDA_R_32F : CUDA_R_64F) {}
  Transposed(const Transposed &) = delete;
  Transposed &operator=(const Transposed &) = delete;
  ~Transposed() {
    if (a_)
      library_.cusparseDestroySpMat(a_);
    for (cusparseDnVecDescr_t vector : {x_, y_})
      if (vector)
        library_.cusparseDestroyDnVec(vector);
  }

  llvm::Error describe(const CsrView &a, DevicePointer x, DevicePointer y) {
    const cusparseIndexType_t index =
        a.indexType == IndexType::i32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    if (llvm::Error error = library_.check(
            library_.cusparseCreateConstCsr(&a_, a.rows, a.cols, a.nnz, a.rowPtr, a.col, a.val,
                                            index, index, CUSPARSE_INDEX_BASE_ZERO, type_),
            "cusparseCreateConstCsr"))
      return error;
    if (llvm::Error error = vector(x_, a.rows, x))
      return error;
    return vector(y_, a.cols, y);
  }

  llvm::Expected<double> time(cusparseSpMVAlg_t algorithm) {
    size_t bytes = 0;
    if (llvm::Error error = library_.check(
            call(library_.cusparseSpMV_bufferSize, algorithm, &bytes), "cusparseSpMV_bufferSize"))
      return error;
    auto buffer = gpu_.allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    auto *const memory = reinterpret_cast<void *>(buffer->pointer());
    if (library_.cusparseSpMV_preprocess)
      if (llvm::Error error = library_.check(
              call(library_.cusparseSpMV_preprocess, algorithm, memory), "cusparseSpMV_preprocess"))
        return error;
    return measureWarm(gpu_, [&] {
      return library_.check(call(library_.cusparseSpMV, algorithm, memory), "cusparseSpMV");
    });
  }

private:
  llvm::Error vector(cusparseDnVecDescr_t &out, int64_t count, DevicePointer at) const {
    return library_.check(
        library_.cusparseCreateDnVec(&out, count, reinterpret_cast<void *>(at), type_),
        "cusparseCreateDnVec");
  }
  template <class Function, class Last>
  cusparseStatus_t call(Function function, cusparseSpMVAlg_t algorithm, Last last) const {
    const double one = 1, zero = 0;
    const float oneF = 1, zeroF = 0;
    const bool isDouble = type_ == CUDA_R_64F;
    const void *alpha = isDouble ? static_cast<const void *>(&one) : &oneF;
    const void *beta = isDouble ? static_cast<const void *>(&zero) : &zeroF;
    return function(handle_, CUSPARSE_OPERATION_TRANSPOSE, alpha, a_, x_, beta, y_, type_,
                    algorithm, last);
  }

  const CusparseLibrary &library_;
  const GpuDevice &gpu_;
  cusparseHandle_t handle_;
  cudaDataType type_;
  cusparseConstSpMatDescr_t a_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
};
} // namespace

llvm::Expected<std::vector<TransposedTime>>
timeTransposedCsr(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a, DevicePointer x,
                  DevicePointer y) {
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  auto handle = makeCusparseHandle(gpu);
  if (!handle)
    return handle.takeError();
  const GpuDevice::Current current(*gpu);
  if (llvm::Error error = current.check())
    return error;
  Transposed product(**library, *gpu, (*handle)->get(), a.valueType);
  if (llvm::Error error = product.describe(a, x, y))
    return error;
  std::vector<TransposedTime> out;
  llvm::Error left = llvm::Error::success();
  for (const auto &[algorithm, name] : kAlgorithms) {
    auto us = product.time(algorithm);
    if (us)
      out.push_back({name, *us});
    else
      left = llvm::joinErrors(std::move(left), us.takeError());
  }
  if (out.empty())
    return left;
  llvm::consumeError(std::move(left)); // an algorithm may not know the operation
  return out;
}

} // namespace specmv
