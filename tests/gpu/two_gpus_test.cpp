// Tests a machine with two GPUs: arrays on the other GPU are refused before a kernel reads them.
#include "specmv.h"
#include "tests/gpu/gpu.h"

#include <doctest/doctest.h>

#include <string>
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
  std::string why;
  if (llvm::cantFail(gpuCount(why)) < 2) {
    MESSAGE("skipped: this machine has one GPU");
    return;
  }
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
