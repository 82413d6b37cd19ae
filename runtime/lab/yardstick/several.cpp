// Describes the matrix and the dense vectors to cuSPARSE and times its SpMM.
#include "runtime/lab/yardstick/several.h"

#include "runtime/lab/yardstick/described_csr.h"
#include "runtime/measure/measure.h"

namespace specmv {

namespace {
constexpr std::pair<cusparseSpMMAlg_t, const char *> kSpmmAlgorithms[] = {
    {CUSPARSE_SPMM_ALG_DEFAULT, "default"},
    {CUSPARSE_SPMM_CSR_ALG1, "alg1"},
    {CUSPARSE_SPMM_CSR_ALG2, "alg2"},
    {CUSPARSE_SPMM_CSR_ALG3, "alg3"}};

// The descriptions for one product, destroyed with it.
class Spmm {
public:
  Spmm(const CusparseLibrary &library, const GpuDevice &gpu, cusparseHandle_t handle,
       ValueType type)
      : library_(library), gpu_(gpu), handle_(handle), a_(library, type) {}
  Spmm(const Spmm &) = delete;
  Spmm &operator=(const Spmm &) = delete;
  ~Spmm() {
    for (cusparseDnMatDescr_t dense : {x_, y_})
      if (dense)
        library_.cusparseDestroyDnMat(dense);
  }

  llvm::Error describe(const CsrView &a, const DenseVectors &v) {
    if (llvm::Error error =
            library_.checkHas(library_.cusparseSpMM && library_.cusparseSpMM_preprocess &&
                                  library_.cusparseSpMM_bufferSize &&
                                  library_.cusparseCreateDnMat && library_.cusparseDestroyDnMat,
                              "cusparseSpMM"))
      return error;
    if (llvm::Error error = a_.describe(a))
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
                                     reinterpret_cast<void *>(at), a_.type,
                                     v.areRows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
  }
  template <class Function, class Last>
  cusparseStatus_t call(Function function, cusparseSpMMAlg_t algorithm, Last last) const {
    return function(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                    a_.one(), a_.matrix, x_, a_.zero(), y_, a_.type, algorithm, last);
  }

  const CusparseLibrary &library_;
  const GpuDevice &gpu_;
  cusparseHandle_t handle_;
  DescribedCsr a_;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
};
} // namespace

AlgorithmTimes timeSeveral(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a,
                           const DenseVectors &vectors) {
  return timesOf<Spmm>(gpu, a.valueType, kSpmmAlgorithms,
                       [&](Spmm &product) { return product.describe(a, vectors); });
}

} // namespace specmv
