// A matrix with four plans on the fake driver, whose times are given, for tests of trials and
// measurements. Its kernels find nothing in a matrix, so the pattern is taken from the host.
#pragma once

#include "runtime/choose/choose.h"
#include "runtime/plan/recall.h"
#include "tests/runtime/cuda/fake_driver.h"
#include "tests/runtime/plan/specialize_testing.h"

#include <algorithm>

namespace specmv::testing {

// Three plans that are packed on the GPU and are close to each other, and one that is not close.
constexpr const char *kFormats[] = {"sell", "ell", "jad", "csr-vector"};
constexpr double kPredictedUs[] = {10, 10.2, 10.4, 20};

struct TrialBed {
  ScratchDirectory scratch;
  CsrMatrix matrix = theMatrix();
  Valued valued{matrix.view(), ValueType::f64, 1};
  Profiled profiled = llvm::cantFail(profileMatrix(valued.view()));
  Machine machine = hostMachine(scratch.path());
  Ranked ranked = {};

  TrialBed() {
    const Ranked all = llvm::cantFail(rankPlans({}, profiled.profile, machine));
    for (const char *format : kFormats) {
      const auto found = std::find_if(all.candidates.begin(), all.candidates.end(),
                                      [&](const Candidate &c) { return c.plan.format == format; });
      REQUIRE(found != all.candidates.end());
      ranked.candidates.push_back(*found);
      ranked.candidates.back().predictedUs = ranked.candidates.back().comparedUs =
          kPredictedUs[ranked.candidates.size() - 1];
      ranked.candidates.back().traffic.caution = 1;
    }
    machine.gpu = llvm::cantFail(GpuDevice::open(0));
  }
  std::unique_ptr<Session> session(const Request &request) {
    auto out = std::make_unique<Session>(valued.view(), request, machine);
    out->know(profiled);
    out->know(ranked);
    return out;
  }
  BuiltChoice choose(const Request &request) {
    return llvm::cantFail(specmv::choose(*session(request)));
  }
  void chooseAndRemember(const Request &request) {
    const auto own = session(request);
    rememberChoice(*own, llvm::cantFail(specmv::choose(*own)));
  }
};

inline Request trialRequest(Rigor rigor, int64_t products = 0) {
  Request out;
  out.rigor = rigor, out.expectedProducts = products;
  return out;
}

// Sets the results of the next timings of the fake GPU.
inline void setTimes(const std::vector<float> &us) {
  std::copy(us.begin(), us.end(), ofFakeDriver<float>("fakeTimes"));
  *ofFakeDriver<int>("fakeTimings") = 0;
}

inline void passesOnFakeGpu(const std::string &testCase) {
  passesWithFakeGpu(testCase, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}});
}

} // namespace specmv::testing
