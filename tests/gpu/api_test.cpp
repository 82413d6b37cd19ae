// Tests the C API on a GPU: arrays on the device, a stream of the caller, and products that agree
// with the host's.
#include "runtime/include/specmv.h"
#include "tests/gpu/gpu.h"

#include "models/lab/families/families.h"
#include "runtime/measure/verify.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// Returns y = 2 A x - y by a plan from arrays at these addresses, with x and y on the plan's
// target.
std::vector<double> multiply(const CsrMatrix &a, const void *rowPtr, const void *col,
                             const void *val, specmvTarget_t target, const GpuDevice &gpu) {
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options{};
  options.structSize = sizeof options;
  options.target = target;
  REQUIRE(specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), rowPtr, col, val, SPECMV_INDEX_32I,
                          SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  const specmvStatus_t made = specmvCreatePlan(&plan, matrix, &options);
  REQUIRE_MESSAGE(made == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  specmvDestroyMatrix(matrix);

  std::vector<double> x(static_cast<size_t>(a.cols)), y(static_cast<size_t>(a.rows), 1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>(i % 17) - 8;
  const double alpha = 2, beta = -1;
  if (target == SPECMV_TARGET_HOST) {
    REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) ==
            SPECMV_STATUS_SUCCESS);
  } else {
    const DeviceBuffer dx = llvm::cantFail(gpu.uploaded(x.data(), x.size() * sizeof(double)));
    const DeviceBuffer dy = llvm::cantFail(gpu.uploaded(y.data(), y.size() * sizeof(double)));
    auto *px = reinterpret_cast<void *>(dx.pointer()), *py = reinterpret_cast<void *>(dy.pointer());
    REQUIRE(specmvExecute(plan, &alpha, px, &beta, py, kPerThreadStream) == SPECMV_STATUS_SUCCESS);
    llvm::cantFail(gpu.synchronize(kPerThreadStream));
    CHECK(specmvExecute(plan, &alpha, px, &beta, px, nullptr) == SPECMV_STATUS_INVALID_VALUE);
    llvm::cantFail(gpu.download(y.data(), dy.pointer(), dy.bytes()));
  }
  specmvDestroyPlan(plan);
  return y;
}

// Returns y = 2 A x - y by a plan on the GPU, with x and y on the host or on the GPU.
std::vector<double> multiplyFrom(const CsrMatrix &a, bool xOnHost, bool yOnHost,
                                 const GpuDevice &gpu) {
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  REQUIRE(specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), a.rowPtr.data(), a.col.data(),
                          a.val.data(), SPECMV_INDEX_32I, SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvCreatePlan(&plan, matrix, nullptr) == SPECMV_STATUS_SUCCESS);
  specmvDestroyMatrix(matrix);
  std::vector<double> x(static_cast<size_t>(a.cols)), y(static_cast<size_t>(a.rows), 1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>(i % 17) - 8;
  const DeviceBuffer dx = llvm::cantFail(gpu.uploaded(x.data(), x.size() * sizeof(double)));
  const DeviceBuffer dy = llvm::cantFail(gpu.uploaded(y.data(), y.size() * sizeof(double)));
  const double alpha = 2, beta = -1;
  void *px = xOnHost ? static_cast<void *>(x.data()) : reinterpret_cast<void *>(dx.pointer());
  void *py = yOnHost ? static_cast<void *>(y.data()) : reinterpret_cast<void *>(dy.pointer());
  // Three times, so that later products use the buffers of the first. An odd number of y = 2 A x -
  // y gives the result of one, in whole numbers without rounding.
  for (int i = 0; i < 3; ++i)
    REQUIRE(specmvExecute(plan, &alpha, px, &beta, py, kPerThreadStream) == SPECMV_STATUS_SUCCESS);
  if (!yOnHost) {
    llvm::cantFail(gpu.synchronize(kPerThreadStream));
    llvm::cantFail(gpu.download(y.data(), dy.pointer(), dy.bytes()));
  }
  specmvDestroyPlan(plan);
  return y;
}

} // namespace

TEST_CASE("vectors on the host pass through the GPU and give the same product") {
  const Machine machine = gpuMachine();
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil9:n=60,coef=constant"));
  const auto onHost =
      multiply(a, a.rowPtr.data(), a.col.data(), a.val.data(), SPECMV_TARGET_HOST, *machine.gpu);
  for (bool xOnHost : {false, true})
    for (bool yOnHost : {false, true}) {
      CAPTURE(xOnHost);
      CAPTURE(yOnHost);
      CHECK(multiplyFrom(a, xOnHost, yOnHost, *machine.gpu) == onHost);
    }
}

TEST_CASE("arrays on the device, arrays on the host and the host target give the same product") {
  const Machine machine = gpuMachine();
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil9:n=60,coef=constant"));
  const DeviceBuffer rowPtr =
      llvm::cantFail(machine.gpu->uploaded(a.rowPtr.data(), a.rowPtr.size() * sizeof(int32_t)));
  const DeviceBuffer col =
      llvm::cantFail(machine.gpu->uploaded(a.col.data(), a.col.size() * sizeof(int32_t)));
  const DeviceBuffer val =
      llvm::cantFail(machine.gpu->uploaded(a.val.data(), a.val.size() * sizeof(double)));
  auto at = [](const DeviceBuffer &b) { return reinterpret_cast<const void *>(b.pointer()); };

  const auto onHost =
      multiply(a, a.rowPtr.data(), a.col.data(), a.val.data(), SPECMV_TARGET_HOST, *machine.gpu);
  CHECK(multiply(a, a.rowPtr.data(), a.col.data(), a.val.data(), SPECMV_TARGET_GPU, *machine.gpu) ==
        onHost);
  CHECK(multiply(a, at(rowPtr), at(col), at(val), SPECMV_TARGET_GPU, *machine.gpu) == onHost);
  CHECK(multiply(a, at(rowPtr), at(col), at(val), SPECMV_TARGET_HOST, *machine.gpu) == onHost);
}
