// What tests of the C API on the fake GPU share: options, and products whose vectors are on the
// host. Its kernels do nothing, so only calls are seen, and that no memory is written wrongly.
#pragma once

#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

namespace apitest {

// Packed on the GPU, read as it is, packed on the host, and by a library. (What the fake GPU's
// kernels find out about a matrix gives hcghyb no plan.)
constexpr const char *kFakeGpuFormats[] = {"ell", "csr-vector", "qcsr", "cusparse-csr"};

// A stream of the program: the fake driver does not look at it.
inline void *const kStream = reinterpret_cast<void *>(uintptr_t{64});

inline const Csr<int32_t, double> &fakeGpuMatrix() {
  static const auto &a = *new Csr<int32_t, double>(randomCsr<int32_t, double>(40, 30, 3));
  return a;
}

// One product on the stream, with x and y on the host.
inline specmvStatus_t multiplyFromHost(specmvPlan_t plan, void *stream) {
  const std::vector<double> x(30, 1);
  std::vector<double> y(40, 1);
  const double one = 1;
  return specmvExecute(plan, &one, x.data(), &one, y.data(), stream);
}

// Counts what is left on the fake GPU once all is freed that no plan holds.
inline int leftOnFakeGpu() {
  CHECK(specmvReleaseDevice(0) == SPECMV_STATUS_SUCCESS);
  return fakeLive();
}

// Runs a child with the fake driver, compiler and cuSPARSE.
inline void passesOnFakeGpu(const std::string &testCase) {
  const ScratchDirectory cache("specmv-fake-api");
  passesWithFakeGpu(testCase, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"SPECMV_CACHE_PATH", ""},
                               {"SPECMV_FAKE_CUSPARSE", "1"},
                               {"SPECMV_CACHE_DIR", cache.path()}});
}

} // namespace apitest
