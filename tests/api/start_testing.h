// Utilities for the tests of SPECMV_START_NOW. The GPU, the compiler and cuSPARSE are fakes; fake
// kernels do nothing, so only cuSPARSE's products are checked.
#pragma once

#include "tests/api/fake_gpu_testing.h"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace apitest {

inline specmvPlanOptions_t startOptions(specmvTarget_t target, const char *formats = nullptr) {
  specmvPlanOptions_t options = optionsOf(target, formats);
  options.start = SPECMV_START_NOW;
  options.compileOnHost = 1;
  return options;
}
inline specmvPlanOptions_t onGpu(const char *formats = "csr-vector") {
  return startOptions(SPECMV_TARGET_GPU, formats);
}

inline std::string reportOf(specmvPlan_t plan) {
  const char *sentence = nullptr;
  REQUIRE(specmvGetPlanReport(plan, &sentence) == SPECMV_STATUS_SUCCESS);
  return sentence;
}

inline bool isReady(specmvPlan_t plan) {
  int ready = -1;
  CHECK_MESSAGE(specmvPlanReady(plan, &ready) == SPECMV_STATUS_SUCCESS, detail());
  return ready == 1;
}

inline bool startsWith(const std::string &text, const std::string &begin) {
  return text.rfind(begin, 0) == 0;
}

inline bool multipliesRight(specmvPlan_t plan, const Csr<int32_t, double> &a,
                            void *stream = nullptr) {
  const std::vector<double> x = integers<double>(a.cols, 3);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double alpha = 2, beta = 0;
  REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), stream) == SPECMV_STATUS_SUCCESS);
  return y == naiveProduct(a, alpha, x, beta, y);
}

// The fake compiler waits for this file.
inline void openGate() { writeFile(std::getenv("SPECMV_FAKE_NVRTC_GATE"), ""); }

inline constexpr const char *kFirst = "cusparse-csr on the arrays as they are";

using Variables = std::vector<std::pair<std::string, std::string>>;

inline void passesStart(const std::string &testCase, const Variables &more = {}) {
  const ScratchDirectory scratch("specmv-start");
  Variables environment{{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                        {"SPECMV_FAKE_CUSPARSE", "1"},
                        {"SPECMV_CACHE_PATH", ""},
                        {"SPECMV_STANDARD_PACK", ""},
                        {"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                        {"SPECMV_FAKE_NVRTC_GATE", scratch.path() + "/gate"}};
  environment.insert(environment.end(), more.begin(), more.end());
  passesWithFakeGpu(testCase, environment);
}

inline const Variables kNoGate{{"SPECMV_FAKE_NVRTC_GATE", "/"}};

inline void sleepFor(int64_t microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

} // namespace apitest
