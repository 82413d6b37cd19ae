// Tests of cuSPARSE as a yardstick: opening it and, where there is a GPU, the products of every
// algorithm.
#include "runtime/cusparse.h"

#include "runtime/toolkit.h"
#include "tests/runtime/cusparse_testing.h"

#include <filesystem>
#include <limits>

using namespace specmv;

namespace {

std::shared_ptr<const GpuDevice> gpuOrNull() {
  auto gpu = GpuDevice::open(0);
  if (gpu)
    return *gpu;
  MESSAGE("skipped: " << describe(gpu.takeError()).second);
  return nullptr;
}

// Runs the algorithm once and compares with a sum in double, which is exact for these integers.
template <class I, class V>
void checkProduct(const std::shared_ptr<const CusparseMatrix> &matrix, const Csr<I, V> &a,
                  const CusparseAlgorithm &algorithm, double alpha, double beta) {
  const std::string name = algorithm.name;
  CAPTURE(name);
  CAPTURE(beta);
  std::vector<V> x, y(static_cast<size_t>(a.rows), std::numeric_limits<V>::quiet_NaN());
  for (int64_t j = 0; j < a.cols; ++j)
    x.push_back(static_cast<V>(j % 13 - 6));
  for (size_t i = 0; beta != 0 && i < y.size(); ++i)
    y[i] = static_cast<V>(i % 7);
  const std::vector<V> before = y;
  const GpuDevice &gpu = *matrix->gpu;
  DeviceBuffer xOnGpu = llvm::cantFail(gpu.uploaded(x.data(), x.size() * sizeof(V)));
  DeviceBuffer yOnGpu = llvm::cantFail(gpu.uploaded(y.data(), y.size() * sizeof(V)));
  auto product = CusparseProduct::prepare(matrix, algorithm, xOnGpu.pointer(), yOnGpu.pointer());
  if (!product)
    FAIL(describe(product.takeError()).second);
  CusparseProduct moved = std::move(*product);
  CHECK(moved.setupMs() > 0);
  CHECK(refusal(moved.run(alpha, beta, nullptr)).second == "accepted");
  CHECK(refusal(gpu.synchronize(nullptr)).second == "accepted");
  llvm::cantFail(gpu.download(y.data(), yOnGpu.pointer(), y.size() * sizeof(V)));
  for (int64_t i = 0; i < a.rows; ++i) {
    double want = beta == 0 ? 0 : beta * before[i];
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      want += alpha * a.val[e] * x[a.col[e]];
    CHECK_MESSAGE(y[i] == static_cast<V>(want), "row " << i);
  }
}

template <class I, class V> void checkAllProducts(const std::shared_ptr<const GpuDevice> &gpu) {
  const Csr<I, V> a = irregular<I, V>();
  auto matrix = CusparseMatrix::upload(gpu, a.view());
  if (!matrix)
    FAIL(describe(matrix.takeError()).second);
  for (const CusparseAlgorithm &algorithm : kCusparseAlgorithms) {
    checkProduct(*matrix, a, algorithm, 1, 0);
    checkProduct(*matrix, a, algorithm, -2, 3);
  }
}

} // namespace

TEST_CASE("a cuSPARSE that is not there is missing, and the sentence names the file") {
  auto version = cusparseVersionOf({"/nowhere/libcusparse.so.12"});
  REQUIRE(!version);
  const auto [status, sentence] = describe(version.takeError());
  CHECK(status == Status::missing);
  CHECK(sentence.rfind("no cuSPARSE: ", 0) == 0);
  CHECK(contains(sentence, "/nowhere/libcusparse.so.12"));
}

TEST_CASE("a library without cuSPARSE's functions is missing, and the sentence names one") {
  auto version = cusparseVersionOf({"libm.so.6"});
  REQUIRE(!version);
  const auto [status, sentence] = describe(version.takeError());
  CHECK(status == Status::missing);
  CHECK(contains(sentence, "libm.so.6 has no cusparse"));
}

TEST_CASE("where the toolkit has cuSPARSE, all its functions are found without a GPU") {
  bool there = false;
  for (const std::string &path : toolkitCandidates("libcusparse.so.12"))
    there = there || std::filesystem::exists(path);
  if (!there) {
    MESSAGE("skipped: no libcusparse.so.12 in the toolkit");
    return;
  }
  CHECK(cusparseVersion().rfind("cuSPARSE 12.", 0) == 0);
}

TEST_CASE("on a GPU every algorithm gives the exact product of integers, for all types") {
  const auto gpu = gpuOrNull();
  if (!gpu)
    return;
  checkAllProducts<int32_t, float>(gpu);
  checkAllProducts<int32_t, double>(gpu);
  checkAllProducts<int64_t, float>(gpu);
  checkAllProducts<int64_t, double>(gpu);
}

TEST_CASE("on a GPU a product keeps its matrix alive and what does not apply is refused") {
  const auto gpu = gpuOrNull();
  if (!gpu)
    return;
  const Csr<int32_t, float> padded = oneLongRow(10, 31);
  auto matrix = CusparseMatrix::upload(gpu, padded.view());
  if (!matrix)
    FAIL(describe(matrix.takeError()).second);
  DeviceBuffer vectors = llvm::cantFail(gpu->allocate(32 * sizeof(float)));
  auto refused = CusparseProduct::prepare(*matrix, algorithmNamed("cusparse-sell"),
                                          vectors.pointer(), vectors.pointer());
  REQUIRE(!refused);
  CHECK(describe(refused.takeError()).first == Status::notApplicable);
  DeviceBuffer x = llvm::cantFail(gpu->allocate(10 * sizeof(float)));
  auto product = CusparseProduct::prepare(std::move(*matrix), algorithmNamed("cusparse-csr2"),
                                          x.pointer(), vectors.pointer());
  if (!product)
    FAIL(describe(product.takeError()).second);
  CHECK(refusal(product->run(1, 0, nullptr)).second == "accepted");
  CHECK(refusal(gpu->synchronize(nullptr)).second == "accepted");
}
