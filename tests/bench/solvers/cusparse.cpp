// cuSPARSE's products for the solvers of this folder, and the choice of the fastest.
#include "gpu.h"

#include <limits>
#include <map>

namespace solvers {

cusparseHandle_t CusparseProduct::handle() {
  static cusparseHandle_t h = [] {
    cusparseHandle_t made = nullptr;
    CHECK(cusparseCreate(&made));
    CHECK(cusparseSetStream(made, stream()));
    CHECK(cusparseSetPointerMode(made, CUSPARSE_POINTER_MODE_DEVICE));
    return made;
  }();
  return h;
}

cublasHandle_t cublas() {
  static cublasHandle_t h = [] {
    cublasHandle_t made = nullptr;
    CHECK(cublasCreate(&made));
    CHECK(cublasSetStream(made, stream()));
    CHECK(cublasSetPointerMode(made, CUBLAS_POINTER_MODE_DEVICE));
    static Array<char> workspace(32 << 20); // so that graphs need none of their own
    CHECK(cublasSetWorkspace(made, workspace.at(), 32 << 20));
    return made;
  }();
  return h;
}

const double *constant(double value) {
  static std::map<double, std::unique_ptr<Vector>> all;
  auto &one = all[value];
  if (!one)
    one = std::make_unique<Vector>(1, value);
  return one->at();
}

static const char *nameOf(cusparseSpMVAlg_t alg) {
  return alg == CUSPARSE_SPMV_CSR_ALG1    ? "csr1"
         : alg == CUSPARSE_SPMV_CSR_ALG2  ? "csr2"
         : alg == CUSPARSE_SPMV_SELL_ALG1 ? "sell"
                                          : "csr";
}

// Slices of 32 rows, stored by columns.
static void toSlices(const Csr &a, std::vector<int> &offsets, std::vector<int> &cols,
                     std::vector<double> &values) {
  constexpr int kSlice = 32;
  offsets.assign(1, 0);
  for (int first = 0; first < a.rows; first += kSlice) {
    int width = 0;
    for (int row = first; row < std::min(a.rows, first + kSlice); ++row)
      width = std::max(width, a.rowPtr[row + 1] - a.rowPtr[row]);
    const size_t begin = cols.size();
    cols.resize(begin + static_cast<size_t>(width) * kSlice, -1);
    values.resize(cols.size(), 0);
    for (int row = first; row < std::min(a.rows, first + kSlice); ++row)
      for (int e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
        const size_t at = begin + static_cast<size_t>(e - a.rowPtr[row]) * kSlice + row - first;
        cols[at] = a.col[e];
        values[at] = a.val[e];
      }
    offsets.push_back(static_cast<int>(cols.size()));
  }
}

CusparseProduct::CusparseProduct(const DeviceCsr &a, const Csr &host, cusparseSpMVAlg_t alg)
    : rows_(a.rows), cols_(a.cols), alg_(alg), name_(nameOf(alg)) {
  if (alg == CUSPARSE_SPMV_SELL_ALG1) {
    std::vector<int> offsets, cols;
    std::vector<double> values;
    toSlices(host, offsets, cols, values);
    indices_.push_back(std::make_unique<Array<int>>(offsets));
    indices_.push_back(std::make_unique<Array<int>>(cols));
    values_ = std::make_unique<Vector>(values);
    CHECK(cusparseCreateSlicedEll(&matrix_, a.rows, a.cols, a.nnz, values.size(), 32,
                                  indices_[0]->at(), indices_[1]->at(), values_->at(),
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  CUDA_R_64F));
  } else {
    CHECK(cusparseCreateCsr(&matrix_, a.rows, a.cols, a.nnz, a.rowPtr.at(), a.col.at(), a.val.at(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                            CUDA_R_64F));
  }
  Vector x(a.cols), y(a.rows);
  cusparseDnVecDescr_t dx = nullptr, dy = nullptr;
  CHECK(cusparseCreateDnVec(&dx, cols_, x.at(), CUDA_R_64F));
  CHECK(cusparseCreateDnVec(&dy, rows_, y.at(), CUDA_R_64F));
  size_t bytes = 0;
  CHECK(cusparseSpMV_bufferSize(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, constant(1), matrix_,
                                dx, constant(0), dy, CUDA_R_64F, alg_, &bytes));
  char *buffer = nullptr;
  CHECK(cudaMalloc(&buffer, bytes + 1));
  buffer_ = buffer;
  CHECK(cusparseSpMV_preprocess(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, constant(1), matrix_,
                                dx, constant(0), dy, CUDA_R_64F, alg_, buffer));
  CHECK(cusparseDestroyDnVec(dx));
  CHECK(cusparseDestroyDnVec(dy));
  CHECK(cudaStreamSynchronize(stream()));
}

void CusparseProduct::run(const double *alpha, const double *x, const double *beta,
                          double *y) const {
  cusparseDnVecDescr_t dx = nullptr, dy = nullptr;
  CHECK(cusparseCreateDnVec(&dx, cols_, const_cast<double *>(x), CUDA_R_64F));
  CHECK(cusparseCreateDnVec(&dy, rows_, y, CUDA_R_64F));
  CHECK(cusparseSpMV(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, matrix_, dx, beta, dy,
                     CUDA_R_64F, alg_, buffer_));
  CHECK(cusparseDestroyDnVec(dx));
  CHECK(cusparseDestroyDnVec(dy));
}

std::unique_ptr<CusparseProduct> CusparseProduct::best(const DeviceCsr &a, const Csr &host) {
  std::unique_ptr<CusparseProduct> out;
  double least = std::numeric_limits<double>::infinity();
  size_t padded = 0;
  for (int first = 0; first < host.rows; first += 32) {
    int width = 0;
    for (int row = first; row < std::min(host.rows, first + 32); ++row)
      width = std::max(width, host.rowPtr[row + 1] - host.rowPtr[row]);
    padded += static_cast<size_t>(width) * 32;
  }
  Vector x(a.cols, 1), y(a.rows);
  for (const cusparseSpMVAlg_t alg : {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1,
                                      CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMV_SELL_ALG1}) {
    if (alg == CUSPARSE_SPMV_SELL_ALG1 && padded > 4 * static_cast<size_t>(a.nnz))
      continue; // mostly padding
    auto product = std::make_unique<CusparseProduct>(a, host, alg);
    const Graph graph([&] { product->run(constant(1), x, constant(0), y); });
    const double us = timeOf(graph, 20);
    if (us < least) {
      least = us;
      out = std::move(product);
    }
  }
  return out;
}

} // namespace solvers
