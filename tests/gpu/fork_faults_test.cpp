// Tests processes that are forked from one that uses a GPU, in which CUDA does not work: calls
// return statuses, the host multiplies in the child, and the parent continues.
#include "tests/gpu/faults_testing.h"
#include "tests/gpu/gpu.h"
#include "tests/runtime/processes.h"

#include <atomic>
#include <thread>

using namespace specmv;
using namespace specmv::testing;

namespace {

bool isTold(const char *call, specmvStatus_t status) {
  return saw(call, status) == SPECMV_STATUS_MISSING && apitest::detailHas("was forked");
}

// In the child: uses its parent's plan, whose GPU is out of reach, a plan of its own, and the host.
int workInChild(specmvPlan_t plan, const TriedMatrix &tried, bool hasStarted, bool endsOnStream) {
  std::vector<double> y;
  specmvPlan_t next = nullptr;
  const char *json = nullptr;
  return firstWrong(
      {[&] { return isTold("execute", tried.multiply(plan, y)); },
       [&] {
         return isTold("create", tried.create(&next, apitest::gpuOptions(nullptr, false))) && !next;
       },
       [&] { // of a start, the values are those of the caller's arrays
         const specmvStatus_t status = specmvUpdateValues(plan, tried.a.val.data(), nullptr);
         return hasStarted ? saw("update", status) != SPECMV_STATUS_SUCCESS
                           : isTold("update", status);
       },
       [&] { return specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS; },
       [&] { return saw("wait", specmvPlanWait(plan)), true; },
       [&] { return tried.plansAndMultipliesRight(apitest::hostOptions()); },
       [&] {
         return saw("destroy", endsOnStream ? specmvDestroyPlanAsync(plan, nullptr)
                                            : specmvDestroyPlan(plan)) == SPECMV_STATUS_SUCCESS;
       }});
}

} // namespace

TEST_CASE("child: forks of a process with a GPU" * doctest::skip()) {
  const std::string format = trialWithin(300);
  const TriedMatrix tried("stencil9:n=60"), large("stencil9:n=500");
  specmvPlanOptions_t options = apitest::gpuOptions(format.c_str(), true);
  specmvPlan_t plan = nullptr;
  REQUIRE(tried.create(&plan, options) == SPECMV_STATUS_SUCCESS);
  std::atomic<bool> isOver{false}, isGood{true};
  std::thread maker([&] {
    while (!isOver)
      isGood = tried.plansAndMultipliesRight(options) && isGood;
  });
  const int forks = isLongCampaign() ? 200 : 20;
  int wrong = 0;
  for (int i = 0; i < forks; ++i) {
    CAPTURE(i);
    specmvPlanOptions_t now = options;
    now.start = SPECMV_START_NOW;
    specmvPlan_t started = nullptr;
    if (i % 4 == 3)
      REQUIRE(large.create(&started, now) == SPECMV_STATUS_SUCCESS);
    int ready = 0;
    if (started && i % 8 == 3) // begins the set-up
      REQUIRE(specmvPlanReady(started, &ready) == SPECMV_STATUS_SUCCESS);
    usleep(static_cast<unsigned>(i * 137 % 2000));
    const int ended = endOf(startProcess([&] {
      const bool isOdd = i % 2 == 1;
      const int at = started ? workInChild(started, large, true, isOdd)
                             : workInChild(plan, tried, false, isOdd);
      if (i % 3 == 0)
        std::exit(at);
      return at;
    }));
    wrong += ended != 0;
    CHECK_MESSAGE(ended == 0, "the child's step " << ended << " is wrong (128: it was killed)");
    CHECK(tried.multipliesRight(plan));
    if (started)
      CHECK(specmvPlanWait(started) == SPECMV_STATUS_SUCCESS);
    if (started)
      CHECK(large.multipliesRight(started));
    specmvDestroyPlan(started);
  }
  isOver = true;
  maker.join();
  CHECK(isGood);
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  saw(std::to_string(forks) + " forks, " + std::to_string(wrong) + " wrong");
}

TEST_CASE(
    "faults: a process that is forked from one with a GPU is told so, and the parent goes on") {
  Trials trials("child: forks of a process with a GPU");
  for (const char *format : {"csr-vector", "ell", "cusparse-csr"})
    trials.run(format);
}
