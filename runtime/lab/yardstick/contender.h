// Describes the matrix to cuSPARSE's products for comparison, prepares and replays them.
#pragma once

#include "generator/layout.h"
#include "models/csr.h"
#include "runtime/cuda/device.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/cusparse/shared_handle.h"
#include "runtime/measure/measure.h"

#include <memory>
#include <string>
#include <vector>

namespace specmv {

// --- Contender -----------------------------------------------------------------------------------

// Defines what cuSPARSE's products for comparison share: a matrix in CSR on the GPU, the numbers 1
// and 0, and the times of the library's algorithms.

struct AlgorithmTime {
  std::string algorithm; // "default", "alg1", ...
  double us = 0;
};

// Has at least one time; otherwise an error, since an algorithm may not support the operation or
// the order.
using AlgorithmTimes = llvm::Expected<std::vector<AlgorithmTime>>;

// --- Described csr -------------------------------------------------------------------------------

// Describes a matrix in CSR to cuSPARSE, for products that plans are compared with. Only for the
// files of this folder.

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

// --- Preparation ---------------------------------------------------------------------------------

// Times what cuSPARSE does for a matrix before its first product: descriptions, working memory,
// preprocessing, plans.

// Returns the microseconds until the GPU has done it: the median of a few times. The layout has its
// arrays on the host. Their way to the GPU is not counted, nor is the making of a handle.
llvm::Expected<double> preparationUs(const std::shared_ptr<const GpuDevice> &gpu,
                                     const std::string &routine, const Layout &layout,
                                     ValueType type);

// --- Replay --------------------------------------------------------------------------------------

// Times products as replays of a CUDA graph, as a solver that captured its loop runs them. The host
// launches nothing between them, so that short products are not hidden behind its launches.

struct ReplayTime {
  double us = 0;        // of one product; 0 if it was not timed
  std::string why = {}; // why not; empty if it was
};

// Captures as many products as the effort has in a batch, and times the graph as often as it has
// batches. All products have the same vectors. A product that cannot be captured is no error.
// Matrices with more bytes than L2 are not timed: a product takes longer than the launch of the
// next one, so that a graph gains nothing.
llvm::Expected<ReplayTime> measureReplay(const GpuProduct &product, const DeviceVectors &vectors,
                                         int64_t csrBytes, const Effort &effort);
// Measures replays of a product that is put on any stream. Its arrays must be ready.
using EnqueueOn = std::function<Enqueue(StreamHandle)>;
llvm::Expected<ReplayTime> measureReplay(const GpuDevice &gpu, const EnqueueOn &product,
                                         int64_t csrBytes, const Effort &effort);

// The two figures of a product.
struct ProductTimes {
  double us = 0; // by launches one after another
  ReplayTime replay = {};
};
llvm::Expected<ProductTimes> measureProduct(const GpuProduct &product, const DeviceVectors &vectors,
                                            int64_t csrBytes);

} // namespace specmv
