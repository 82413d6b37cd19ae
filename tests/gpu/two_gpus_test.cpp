// Tests a machine with two GPUs: arrays on the other GPU are refused before a kernel reads them,
// and plans on both multiply at once. What a reset of one does is in context_faults_test.cpp.
#include "specmv_fused.h"
#include "tests/api/fused_step.h"
#include "tests/gpu/stream_products.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace specmv;

namespace {

// 4 1 0
// 0 3 0
// 2 0 5
const std::vector<int> kRowPtr{0, 2, 3, 5}, kCol{0, 1, 1, 0, 2};
const std::vector<double> kVal{4, 1, 3, 2, 5}, kX{1, 2, 3};

template <class T> DeviceBuffer placedOn(const GpuDevice &gpu, const std::vector<T> &v) {
  return llvm::cantFail(gpu.uploaded(v.data(), v.size() * sizeof(T)));
}

const void *addressOf(const DeviceBuffer &buffer) {
  return reinterpret_cast<const void *>(buffer.pointer());
}

specmvPlan_t planOn(int device, const void *rowPtr, specmvStatus_t wanted) {
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.target = SPECMV_TARGET_GPU;
  options.device = device;
  options.updatable = 1;
  REQUIRE(specmvCreateCsr(&matrix, 3, 3, 5, rowPtr, kCol.data(), kVal.data(), SPECMV_INDEX_32I,
                          SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvCreatePlan(&plan, matrix, &options) == wanted);
  specmvDestroyMatrix(matrix);
  return plan;
}

std::string lastSentence() { return specmvGetLastErrorDetail(); }

} // namespace

TEST_CASE("arrays and vectors on another GPU than the plan's are refused, and the context lives") {
  if (!hasTwoGpus())
    return;
  const auto first = llvm::cantFail(GpuDevice::open(0));
  const auto second = llvm::cantFail(GpuDevice::open(1));
  const DeviceBuffer rowPtrThere = placedOn(*second, kRowPtr);
  CHECK(planOn(0, addressOf(rowPtrThere), SPECMV_STATUS_INVALID_VALUE) == nullptr);
  CHECK(lastSentence().find("rowPtr is in the memory of GPU 1, but the plan runs on GPU 0") == 0);

  const double one = 1, zero = 0;
  for (const int device : {0, 1}) {
    CAPTURE(device);
    const GpuDevice &here = device == 0 ? *first : *second, &there = device == 0 ? *second : *first;
    specmvPlan_t plan = planOn(device, kRowPtr.data(), SPECMV_STATUS_SUCCESS);
    REQUIRE(plan);
    const DeviceBuffer x = placedOn(here, kX), y = placedOn(here, kX), xThere = placedOn(there, kX),
                       valThere = placedOn(there, kVal);
    auto *const out = const_cast<void *>(addressOf(y));
    CHECK(specmvExecute(plan, &one, addressOf(xThere), &zero, out, nullptr) ==
          SPECMV_STATUS_INVALID_VALUE);
    CHECK(lastSentence().find("x is in the memory of GPU") == 0);
    CHECK(specmvExecute(plan, &one, addressOf(x), &zero, const_cast<void *>(addressOf(xThere)),
                        nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(lastSentence().find("y is in the memory of GPU") == 0);
    CHECK(specmvUpdateValues(plan, addressOf(valThere), nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(lastSentence().find("val is in the memory of GPU") == 0);
    // Products continue after any refusal.
    REQUIRE(specmvExecute(plan, &one, addressOf(x), &zero, out, nullptr) == SPECMV_STATUS_SUCCESS);
    std::vector<double> result(3);
    llvm::cantFail(here.download(result.data(), y.pointer(), y.bytes()));
    CHECK(result == std::vector<double>{6, 6, 17});
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  }
}

// Two threads use each GPU; the one with the smaller matrix is done earlier.
TEST_CASE("plans on two GPUs are made and multiply at once, from several threads") {
  if (!hasTwoGpus())
    return;
  for (const char *format : {"csr-vector", "hcghyb", "csr-merge", "cusparse-csr"}) {
    CAPTURE(format);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (const int device : {0, 1})
      for (const int64_t rows : {100000, 3000})
        threads.emplace_back([&right, format, device, rows] {
          const auto gpu = llvm::cantFail(GpuDevice::open(device));
          const auto a = apitest::randomCsr<int32_t, double>(rows, rows, 9);
          specmvPlanOptions_t options = apitest::gpuOptions(format, false);
          options.device = device;
          for (uint64_t i = 0; i < 3; ++i) {
            const apitest::Plan plan(a, options);
            right += areRight(*gpu, plan, a, 100 * i);
          }
        });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(right == 12);
  }
}

// A program may drive all GPUs of a machine by one thread, whose current context is that of none.
TEST_CASE("one thread multiplies on two GPUs in turn") {
  if (!hasTwoGpus())
    return;
  const auto a = apitest::randomCsr<int32_t, double>(20000, 20000, 5);
  specmvPlanOptions_t options = apitest::gpuOptions(nullptr, true);
  const apitest::Plan first(a, options);
  options.device = 1;
  const apitest::Plan second(a, options);
  const std::vector<double> x = apitest::integers<double>(a.cols, 1);
  const std::vector<double> ax = apitest::naiveProduct(a, 1.0, x, 0.0, x);
  const double one = 1, zero = 0;
  for (int i = 0; i < 10; ++i)
    for (const specmvPlan_t plan : {specmvPlan_t(first), specmvPlan_t(second)}) {
      std::vector<double> y(ax.size(), -1);
      REQUIRE(specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) ==
              SPECMV_STATUS_SUCCESS);
      CHECK(y == ax);
      CHECK(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    }
}

TEST_CASE("a fused step runs on its plan's GPU, and refuses vectors of the other") {
  if (!hasTwoGpus())
    return;
  const specmvFusion_t fusion =
      SPECMV_FUSED("p", "q = ax; s += p * ax;", "p, q", "q", nullptr, nullptr, "s");
  for (const int device : {0, 1}) {
    CAPTURE(device);
    const auto here = llvm::cantFail(GpuDevice::open(device));
    const auto there = llvm::cantFail(GpuDevice::open(1 - device));
    specmvPlan_t plan = planOn(device, kRowPtr.data(), SPECMV_STATUS_SUCCESS);
    REQUIRE(plan);
    {
      const apitest::FusedStep step(plan, fusion);
      const DeviceBuffer p = placedOn(*here, kX), q = placedOn(*here, kX), s = placedOn(*here, kX),
                         pThere = placedOn(*there, kX), sThere = placedOn(*there, kX);
      void *out = const_cast<void *>(addressOf(q)), *sum = const_cast<void *>(addressOf(s)),
           *in = const_cast<void *>(addressOf(p)), *inThere = const_cast<void *>(addressOf(pThere)),
           *sumThere = const_cast<void *>(addressOf(sThere));
      void *const vectors[] = {in, out}, *const wrongVectors[] = {inThere, out};
      CHECK(specmvExecuteFused(step, wrongVectors, &sum, nullptr) == SPECMV_STATUS_INVALID_VALUE);
      CHECK(lastSentence().find("p is in the memory of GPU") == 0);
      CHECK(specmvExecuteFused(step, vectors, &sumThere, nullptr) == SPECMV_STATUS_INVALID_VALUE);
      CHECK(lastSentence().find("s is in the memory of GPU") == 0);
      REQUIRE(specmvExecuteFused(step, vectors, &sum, nullptr) == SPECMV_STATUS_SUCCESS);
      waitForGpu(*here);
      std::vector<double> result(3), total(1);
      llvm::cantFail(here->download(result.data(), q.pointer(), q.bytes()));
      llvm::cantFail(here->download(total.data(), s.pointer(), sizeof(double)));
      CHECK(result == std::vector<double>{6, 6, 17});
      CHECK(total[0] == 1 * 6 + 2 * 6 + 3 * 17);
    }
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  }
}
