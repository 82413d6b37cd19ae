// Tests that no call of specmv can break another thread's capture of a stream: no call is on the
// default stream, and none uses a capture mode other than the relaxed one. The fake driver counts
// such calls.
#include "tests/api/fake_gpu_testing.h"

using namespace apitest;

namespace {

// Makes every kind of call in the life of a plan.
void liveOnce(const char *format, specmvStart_t start, specmvRigor_t rigor) {
  const auto &a = fakeGpuMatrix();
  specmvPlanOptions_t options = gpuOptions(format, true);
  options.start = start;
  options.rigor = rigor;
  specmvPlan_t plan = nullptr;
  REQUIRE_MESSAGE(specmvCreatePlan(&plan, Matrix(a), &options) == SPECMV_STATUS_SUCCESS, detail());
  CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvUpdateValues(plan, a.val.data(), kStream) == SPECMV_STATUS_SUCCESS);
  CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvCreatePlan(&plan, Matrix(a), &options) == SPECMV_STATUS_SUCCESS);
  CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvDestroyPlanAsync(plan, kStream) == SPECMV_STATUS_SUCCESS);
}

} // namespace

TEST_CASE("child: calls beside a capture" * doctest::skip()) {
  const int &unsafe = *ofFakeDriver<int>("fakeUnsafeCalls"),
            &onDefault = *ofFakeDriver<int>("fakeDefaultStreamCalls");
  for (const char *format : kFakeGpuFormats)
    for (const specmvStart_t start : {SPECMV_START_WAIT, SPECMV_START_NOW})
      for (const specmvRigor_t rigor : {SPECMV_RIGOR_ESTIMATE, SPECMV_RIGOR_MEASURE}) {
        CAPTURE(format);
        CAPTURE(start);
        CAPTURE(rigor);
        liveOnce(format, start, rigor);
        CHECK(onDefault == 0);
        CHECK(unsafe == 0);
      }
  CHECK(leftOnFakeGpu() == 0);
  CHECK(onDefault == 0);
  CHECK(unsafe == 0);
  // Checks that the fake driver counts such calls.
  CHECK(ofFakeDriver<int(void *)>("cuStreamSynchronize")(nullptr) == 0);
  CHECK(onDefault == 1);
  CHECK(unsafe == 1);
}

TEST_CASE("no call could break the capture of another thread") {
  passesOnFakeGpu("child: calls beside a capture");
}
