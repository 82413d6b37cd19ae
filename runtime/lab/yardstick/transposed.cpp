// Describes the matrix and the vectors to cuSPARSE and times CUSPARSE_OPERATION_TRANSPOSE.
#include "runtime/lab/yardstick/transposed.h"

#include "runtime/lab/yardstick/described_csr.h"
#include "runtime/measure/measure.h"

namespace specmv {

namespace {
constexpr std::pair<cusparseSpMVAlg_t, const char *> kAlgorithms[] = {
    {CUSPARSE_SPMV_ALG_DEFAULT, "default"},
    {CUSPARSE_SPMV_CSR_ALG1, "alg1"},
    {CUSPARSE_SPMV_CSR_ALG2, "alg2"}};

// The descriptions for one product, destroyed with it.
class Transposed {
public:
  Transposed(const CusparseLibrary &library, const GpuDevice &gpu, cusparseHandle_t handle,
             ValueType type)
      : library_(library), gpu_(gpu), handle_(handle), a_(library, type) {}
  Transposed(const Transposed &) = delete;
  Transposed &operator=(const Transposed &) = delete;
  ~Transposed() {
    for (cusparseDnVecDescr_t vector : {x_, y_})
      if (vector)
        library_.cusparseDestroyDnVec(vector);
  }

  llvm::Error describe(const CsrView &a, DevicePointer x, DevicePointer y) {
    if (llvm::Error error = a_.describe(a))
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
        library_.cusparseCreateDnVec(&out, count, reinterpret_cast<void *>(at), a_.type),
        "cusparseCreateDnVec");
  }
  template <class Function, class Last>
  cusparseStatus_t call(Function function, cusparseSpMVAlg_t algorithm, Last last) const {
    return function(handle_, CUSPARSE_OPERATION_TRANSPOSE, a_.one(), a_.matrix, x_, a_.zero(), y_,
                    a_.type, algorithm, last);
  }

  const CusparseLibrary &library_;
  const GpuDevice &gpu_;
  cusparseHandle_t handle_;
  DescribedCsr a_;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
};
} // namespace

AlgorithmTimes timeTransposedCsr(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a,
                                 DevicePointer x, DevicePointer y) {
  return timesOf<Transposed>(gpu, a.valueType, kAlgorithms,
                             [&](Transposed &product) { return product.describe(a, x, y); });
}

} // namespace specmv
