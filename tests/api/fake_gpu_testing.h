// Utilities for tests of the C API on the fake GPU: options, and products whose vectors are on the
// host. Its kernels do nothing, so these tests see only calls and wrong writes to memory.
#pragma once

#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

namespace apitest {

// Formats that are packed on the GPU, read as they are, packed on the host, and multiplied by a
// library. (With the results of the fake GPU's kernels, hcghyb has no plan.)
constexpr const char *kFakeGpuFormats[] = {"ell", "csr-vector", "qcsr", "cusparse-csr"};

// A stream of the program, which the fake driver ignores.
inline void *const kStream = reinterpret_cast<void *>(uintptr_t{64});

inline const Csr<int32_t, double> &fakeGpuMatrix() {
  static const auto &a = *new Csr<int32_t, double>(randomCsr<int32_t, double>(40, 30, 3));
  return a;
}

// Computes one product on the stream, with x and y on the host.
inline specmvStatus_t multiplyFromHost(specmvPlan_t plan, void *stream) {
  const std::vector<double> x(30, 1);
  std::vector<double> y(40, 1);
  const double one = 1;
  return specmvExecute(plan, &one, x.data(), &one, y.data(), stream);
}

// Returns the memory that the plan holds where its products run.
inline int64_t bytesOf(specmvPlan_t plan) {
  int64_t bytes = 0;
  REQUIRE(specmvGetPlanSetup(plan, nullptr, &bytes) == SPECMV_STATUS_SUCCESS);
  return bytes;
}

// Counts the calls that wait for work of the GPU.
inline int waitsIn(const std::string &calls) {
  return countOf("cuStreamSynchronize", calls) + countOf("cuEventSynchronize", calls);
}

// Counts the objects left on the fake GPU after everything that no plan holds has been freed.
inline int leftOnFakeGpu() {
  CHECK(specmvReleaseDevice(0) == SPECMV_STATUS_SUCCESS);
  return fakeLive();
}

// Runs a child with the fake driver, compiler and cuSPARSE.
inline void passesOnFakeGpu(const std::string &testCase,
                            const std::vector<std::pair<std::string, std::string>> &more = {}) {
  const ScratchDirectory cache("specmv-fake-api");
  std::vector<std::pair<std::string, std::string>> environment = {
      {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
      {"SPECMV_CACHE_PATH", ""},
      {"SPECMV_FAKE_CUSPARSE", "1"},
      {"SPECMV_CACHE_DIR", cache.path()}};
  environment.insert(environment.end(), more.begin(), more.end());
  passesWithFakeGpu(testCase, std::move(environment));
}

} // namespace apitest
