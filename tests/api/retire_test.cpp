// Tests plans that are destroyed while their products may still run: the calls of the fake driver
// show what is freed, and when.
#include "tests/api/fake_gpu_testing.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace apitest;

namespace {

specmvPlan_t planOf(const char *format, specmvStart_t start = SPECMV_START_WAIT) {
  specmvPlanOptions_t options = gpuOptions(format, true);
  options.start = start;
  specmvPlan_t plan = nullptr;
  const specmvStatus_t made = specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options);
  REQUIRE_MESSAGE(made == SPECMV_STATUS_SUCCESS, detail());
  REQUIRE(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
  return plan;
}

std::string callsOfDestroying(specmvPlan_t plan) {
  return fakeCallsOf(
      [&] { CHECK(specmvDestroyPlanAsync(plan, kStream) == SPECMV_STATUS_SUCCESS); });
}

} // namespace

TEST_CASE("child: a plan is destroyed in order on a stream" * doctest::skip()) {
  int &holds = *ofFakeDriver<int>("fakeHoldsEvents");
  for (const char *format : kFakeGpuFormats) {
    CAPTURE(format);
    holds = 1;
    const specmvPlan_t other = planOf(format), plan = planOf(format);
    const int live = fakeLive();
    const std::string calls = callsOfDestroying(plan);
    const int freed = countOf("cuMemFree_v2", calls);
    CHECK(waitsIn(calls) == 0);
    CHECK(freed >= 3);                     // x, y and what the plan stores
    CHECK(fakeLive() == live - freed + 1); // an event
    CHECK(countOf("cuEventRecord", calls) == 1);
    CHECK(countOf("cuLaunchHostFunc", calls) == 0); // it would hold up the stream
    CHECK(calls.rfind("cuMemFree_v2 ") < calls.find("cuEventRecord "));
    CHECK(specmvDestroyPlan(other) == SPECMV_STATUS_SUCCESS);
    CHECK(fakeLive() > 0); // the stream has not come so far
    CHECK(specmvDestroyPlan(planOf(format)) == SPECMV_STATUS_SUCCESS);
    CHECK(fakeLive() > 0);
    const specmvPlan_t last = planOf(format);
    holds = 0;
    CHECK(fakeLive() > 0);
    CHECK(specmvDestroyPlan(last) == SPECMV_STATUS_SUCCESS);
    CHECK(leftOnFakeGpu() == 0);
  }
}

TEST_CASE("a plan is destroyed in order on a stream, and its rest when that has come so far") {
  passesOnFakeGpu("child: a plan is destroyed in order on a stream");
}

TEST_CASE("child: a plan is retired, and then the process is forked or the device reset" *
          doctest::skip()) {
  *ofFakeDriver<int>("fakeHoldsEvents") = 1;
  callsOfDestroying(planOf("ell"));
  const int kept = fakeLive();
  CHECK(kept > 0);
  const pid_t child = fork();
  if (child == 0) { // it must not call the driver
    *ofFakeDriver<int>("fakeHoldsEvents") = 0;
    const std::string calls = fakeCallsOf([] { specmvReleaseDevice(1); });
    _exit(countOf("cuEventQuery", calls) + (fakeLive() != kept));
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  // What waits for an event of a context that is gone is destroyed on the host alone.
  *ofFakeDriver<int>("fakeIsReset") = 1;
  const std::string calls = fakeCallsOf([] { specmvReleaseDevice(0); });
  CHECK(countOf("cuEventQuery", calls) == 0);
  CHECK(countOf("cuEventDestroy_v2", calls) == 0);
  const std::string again = fakeCallsOf([] { specmvReleaseDevice(0); });
  CHECK(countOf("cuCtxPushCurrent_v2", again) == 0); // nothing waits any more
}

TEST_CASE("what waits for a stream is left alone after a fork, and dropped after a reset") {
  // The fake driver does not free the objects that a reset would free.
  passesOnFakeGpu("child: a plan is retired, and then the process is forked or the device reset",
                  {{"ASAN_OPTIONS", "detect_leaks=0:intercept_tls_get_addr=0"}});
}

TEST_CASE("child: a plan that is not made yet is destroyed" * doctest::skip()) {
  for (const bool isMade : {false, true}) {
    const specmvPlan_t plan = planOf("ell", SPECMV_START_NOW);
    if (isMade) { // the first products are there as well
      int ready = 0;
      while (specmvPlanReady(plan, &ready) == SPECMV_STATUS_SUCCESS && !ready)
        ;
      REQUIRE(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
    }
    const std::string calls = callsOfDestroying(plan);
    if (isMade)
      CHECK(waitsIn(calls) == 0);
    CHECK(countOf("cuEventRecord", calls) == 1);
    CHECK(leftOnFakeGpu() == 0); // the fake stream comes so far at once
  }
}

TEST_CASE("a plan with first products is destroyed with them") {
  passesOnFakeGpu("child: a plan that is not made yet is destroyed");
}

TEST_CASE("child: where a plan cannot be destroyed on a stream" * doctest::skip()) {
  const specmvPlan_t plan = planOf("ell");
  int &isCapturing = *ofFakeDriver<int>("fakeIsCapturing");
  isCapturing = 1;
  CHECK(specmvDestroyPlanAsync(plan, kStream) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("on a stream that is being captured"), detail());
  isCapturing = 0;
  CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS); // as it was
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  for (const char *failing : {"cuEventCreate", "cuEventRecord"}) {
    const specmvPlan_t other = planOf("ell");
    setenv("SPECMV_FAKE_FAILS", failing, 1);
    const std::string calls = callsOfDestroying(other);
    CHECK(countOf("cuStreamSynchronize", calls) == 1); // before anything that has no order is freed
    unsetenv("SPECMV_FAKE_FAILS");
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("a stream that is captured is refused, and one that cannot tell is waited for") {
  passesOnFakeGpu("child: where a plan cannot be destroyed on a stream");
}

TEST_CASE("a plan on the host is destroyed at once, whatever the stream") {
  const auto arrays = smallCsr();
  const Matrix a(arrays);
  const specmvPlanOptions_t options = hostOptions();
  for (void *stream : {static_cast<void *>(nullptr), kStream}) {
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreatePlan(&plan, a, &options) == SPECMV_STATUS_SUCCESS);
    CHECK(specmvDestroyPlanAsync(plan, stream) == SPECMV_STATUS_SUCCESS);
  }
  CHECK(specmvDestroyPlanAsync(nullptr, nullptr) == SPECMV_STATUS_SUCCESS);
  auto *const other = reinterpret_cast<specmvPlan_t>(static_cast<specmvMatrix_t>(a));
  CHECK(specmvDestroyPlanAsync(other, nullptr) == SPECMV_STATUS_INVALID_VALUE);
}
