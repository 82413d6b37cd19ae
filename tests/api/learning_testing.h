// Makes plans that learn on the fake GPU, and reads what they say of it, for tests.
#pragma once

#include "tests/api/start_testing.h"
#include "tests/runtime/slow_kernels.h"

#include <string>
#include <vector>

namespace apitest {

inline specmvPlanOptions_t learning(const char *formats = "csr-vector,ell,sell") {
  specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_GPU, formats);
  options.rigor = SPECMV_RIGOR_ONLINE;
  options.kernels = SPECMV_KERNELS_SPECIALIZED; // so that rivals are compiled
  options.vectorsOnGpu = 1;                     // the fake's memory is the host's
  return options;
}

inline specmvPlan_t learnerOf(const specmvPlanOptions_t &options) {
  specmvPlan_t plan = nullptr;
  REQUIRE_MESSAGE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) ==
                      SPECMV_STATUS_SUCCESS,
                  detail());
  return plan;
}

// The kernels of the fake GPU are so slow that plans are worth comparing.
inline void passesWithSlowKernels(const std::string &testCase) {
  const ScratchDirectory scratch("specmv-slow-kernels");
  const std::string model = scratch.path() + "/model.json";
  specmv::testing::writeSlowKernels(model);
  passesOnFakeGpu(testCase, {{"SPECMV_GPU_MODEL", model}});
}

inline std::string textOf(specmvPlan_t plan) {
  const char *text = nullptr;
  REQUIRE(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
  return text;
}

// The texts behind this key, in their order.
inline std::vector<std::string> textsIn(const std::string &json, const std::string &key) {
  const std::string begin = "\"" + key + "\":\"";
  std::vector<std::string> out;
  for (size_t at = json.find(begin); at != std::string::npos; at = json.find(begin, at)) {
    at += begin.size();
    out.push_back(json.substr(at, json.find('"', at) - at));
  }
  return out;
}

// Returns what the JSON says of the learning; "" if nothing is learned.
inline std::string learnedIn(const std::string &json) {
  const size_t at = json.find("\"learning\":{");
  return at == std::string::npos ? "" : json.substr(at, json.find("\"timed\":", at) - at);
}

inline std::string stateOf(specmvPlan_t plan) {
  const std::vector<std::string> states = textsIn(learnedIn(jsonOf(plan)), "state");
  return states.empty() ? "none" : states.front();
}

// The texts of the plans that take turns.
inline std::vector<std::string> plansOf(specmvPlan_t plan) {
  return textsIn(learnedIn(jsonOf(plan)), "text");
}

} // namespace apitest
