// Tests forks of a process that makes plans and multiplies: the work of the parent's threads at
// that moment must not block any call of the child, and products must be right in both.
#include "tests/faults/campaign.h"

#include "tests/api/api_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/scratch_directory.h"

#include <atomic>
#include <iostream>
#include <thread>

using namespace apitest;
using namespace specmv::testing;

namespace {

using ForkedCsr = Csr<int32_t, double>;

bool multipliesRight(specmvPlan_t plan, const ForkedCsr &a) {
  const std::vector<double> x = integers<double>(a.cols, 5);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double alpha = 2, beta = 0;
  return specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) == SPECMV_STATUS_SUCCESS &&
         y == naiveProduct(a, alpha, x, beta, y);
}

specmvPlan_t planOf(const ForkedCsr &a, specmvStart_t start, specmvContext_t context = nullptr) {
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = compilingHostOptions();
  options.start = start;
  options.context = context;
  if (create(&matrix, a) == SPECMV_STATUS_SUCCESS)
    specmvCreatePlan(&plan, matrix, &options);
  specmvDestroyMatrix(matrix);
  return plan;
}

bool plansAndMultiplies(const ForkedCsr &a, specmvStart_t start = SPECMV_START_WAIT,
                        specmvContext_t context = nullptr) {
  specmvPlan_t plan = planOf(a, start, context);
  return plan && multipliesRight(plan, a) && specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS &&
         multipliesRight(plan, a) && specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS;
}

// For a plan whose set-up runs in the parent: the first products remain available.
bool knowsThatSetupIsElsewhere(specmvPlan_t started) {
  int ready = 0;
  return specmvPlanReady(started, &ready) != SPECMV_STATUS_SUCCESS &&
         specmvPlanWait(started) != SPECMV_STATUS_SUCCESS && detailHas("was forked");
}

void passesForked(const char *testCase, const char *compilerUs) {
  const ScratchDirectory scratch("specmv-forked");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone(testCase,
                              {{"LD_LIBRARY_PATH", SPECMV_FAKE_CUDA},
                               {"SPECMV_FAKE_CUINIT", "100"}, // no device
                               {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"SPECMV_FAKE_NVRTC_US", compilerUs},
                               {"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                               {"SPECMV_STANDARD_PACK", ""},
                               {"SPECMV_CACHE_PATH", ""}},
                              output);
  if (isLongCampaign())
    MESSAGE(readFile(output));
  CHECK_MESSAGE(status == 0, readFile(output));
}

} // namespace

TEST_CASE("child: a fork beside a set-up" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(40000, 30000, 9);
  const auto other = randomCsr<int32_t, double>(300, 200, 5);
  specmvPlan_t made = planOf(other, SPECMV_START_WAIT), started = planOf(a, SPECMV_START_NOW);
  REQUIRE(multipliesRight(made, other));
  REQUIRE(multipliesRight(started, a));
  const pid_t child = startProcess([&] {
    return firstWrong({[&] { return multipliesRight(made, other); },
                       [&] { return multipliesRight(started, a); },
                       [&] { return knowsThatSetupIsElsewhere(started); },
                       [&] { return multipliesRight(started, a); },
                       [&] { return specmvDestroyPlan(started) == SPECMV_STATUS_SUCCESS; },
                       [&] { return specmvDestroyPlan(made) == SPECMV_STATUS_SUCCESS; },
                       [&] { return plansAndMultiplies(other); },
                       [&] { return plansAndMultiplies(a, SPECMV_START_NOW); }});
  });
  CHECK(endOf(child) == 0);
  CHECK(specmvPlanWait(started) == SPECMV_STATUS_SUCCESS);
  CHECK(multipliesRight(started, a));
  CHECK(multipliesRight(made, other));
  // A child that leaves its own set-up to the end of the process.
  CHECK(endOf(startProcess([&] {
          const int wrong =
              firstWrong({[&] { return multipliesRight(planOf(a, SPECMV_START_NOW), a); }});
          std::exit(wrong);
          return wrong;
        })) == 0);
  specmvDestroyPlan(started);
  specmvDestroyPlan(made);
}

TEST_CASE("a process that is forked beside a set-up multiplies and makes plans") {
  passesForked("child: a fork beside a set-up", "300000");
}

TEST_CASE("child: forks while plans are made" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(300, 200, 5);
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.cacheDirectory = ""; // so that each plan compiles
  settings.log = [](void *, specmvLogLevel_t, const char *) {};
  settings.logLevel = SPECMV_LOG_DEBUG;
  specmvContext_t context = nullptr;
  REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
  std::atomic<bool> isOver{false}, isGood{true};
  std::vector<std::thread> makers;
  makers.reserve(3);
  for (int i = 0; i < 3; ++i)
    makers.emplace_back([&] {
      while (!isOver)
        isGood = plansAndMultiplies(a, SPECMV_START_WAIT, context) && isGood;
    });
  Dice dice;
  const int forks = isLongCampaign() ? 1000 : 40;
  for (int i = 0; i < forks; ++i) {
    CAPTURE(i);
    std::cout << std::flush; // or exit() writes it in the child too
    usleep(static_cast<unsigned>(dice.below(3000)));
    CHECK(endOf(startProcess([&] {
            const int wrong =
                firstWrong({[&] { return plansAndMultiplies(a, SPECMV_START_WAIT, context); },
                            [&] { return plansAndMultiplies(a, SPECMV_START_NOW, context); },
                            [&] { return plansAndMultiplies(a); }});
            if (i % 2)
              std::exit(wrong);
            return wrong;
          })) == 0);
  }
  isOver = true;
  for (std::thread &maker : makers)
    maker.join();
  CHECK(isGood);
  specmvDestroyContext(context);
  MESSAGE(forks << " forks");
}

TEST_CASE("a process that is forked while other threads make plans makes plans too") {
  passesForked("child: forks while plans are made", "500");
}
