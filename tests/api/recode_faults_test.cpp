// Tests that a plan whose values have a coding is as before after new values for it have failed: in
// calls of the driver, in each allocation on the GPU, and while the stream is captured.
#include "tests/api/counting_memory.h"
#include "tests/api/recode_testing.h"

#include <cstdlib>

using namespace apitest;

namespace {

// Updates a plan with values that do not fit, where the n-th allocation fails. It has a fused step,
// and products on two streams, if it can. Returns true if there was such an allocation.
bool failsOne(const Csr<int32_t, double> &a, const std::string &text, bool isLent, int n) {
  Counting memory;
  const specmvContextOptions_t settings = allocatingBy(memory);
  specmvContext_t context = nullptr;
  REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
  bool wasReached = false;
  {
    specmvPlanOptions_t options = coded(SPECMV_TARGET_GPU, text);
    options.context = context;
    options.csrOutlivesPlan = isLent;
    options.scratchPerStream = 1;
    const Plan plan(a, options);
    const FusedStep step(plan, cgStep());
    const std::vector<double> x(static_cast<size_t>(a.cols)), others = differing(a.val.size(), 5);
    std::vector<double> y(static_cast<size_t>(a.rows));
    const double one = 1;
    const auto multiply = [&](uintptr_t stream) {
      CHECK_MESSAGE(specmvExecute(plan, &one, x.data(), &one, y.data(),
                                  reinterpret_cast<void *>(stream)) == SPECMV_STATUS_SUCCESS,
                    detail());
    };
    multiply(64), multiply(128);
    memory.asked = 0, memory.failsAt = n;
    const size_t before = memory.live.size();
    const bool isDone = updates(plan, others);
    wasReached = memory.asked >= n;
    memory.failsAt = 0;
    CHECK(isDone == (planTextOf(plan).find("values=") == std::string::npos));
    if (!isDone) {
      CHECK(memory.live.size() == before);
      CHECK(planTextOf(plan) == text);
      multiply(64), multiply(128);
      CHECK_MESSAGE(updates(plan, others), detail());
    }
    multiply(64), multiply(128);
    CHECK(planTextOf(plan).find("values=") == std::string::npos);
  }
  CHECK(specmvDestroyContext(context) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
  CHECK(memory.isClean());
  return wasReached;
}

} // namespace

TEST_CASE("child: a coded plan is as before when new values fail" * doctest::skip()) {
  const auto a = ofTwos();
  const std::vector<double> others = differing(a.val.size(), 300);
  const std::string text = kRows + " values=codes8";
  {
    const Plan plan(a, coded(SPECMV_TARGET_GPU, text));
    specmvFused_t step = nullptr;
    const specmvFusion_t fusion = cgStep();
    REQUIRE_MESSAGE(specmvCreateFused(&step, plan, &fusion) == SPECMV_STATUS_SUCCESS, detail());
    for (const char *call : {"cuMemAlloc_v2", "cuModuleLoadData", "cuMemcpyHtoDAsync_v2"}) {
      CAPTURE(std::string(call));
      const int before = fakeLive();
      setenv("SPECMV_FAKE_FAILS", call, 1);
      CHECK_FALSE(updates(plan, others));
      unsetenv("SPECMV_FAKE_FAILS");
      CHECK(detailHas("the new values do not fit the coding of the plan '" + text + "'"));
      CHECK(detailHas("so it keeps its values"));
      CHECK(planTextOf(plan) == text);
      CHECK(fakeLive() <= before + 2); // modules that stay loaded
      CHECK(callsOf(plan, a.val).find("cuMemcpyHtoDAsync_v2") != std::string::npos);
    }
    int &captures = *ofFakeDriver<int>("fakeIsCapturing");
    captures = 1;
    CHECK_FALSE(updates(plan, a.val));
    captures = 0;
    CHECK(detailHas("which it cannot while the stream is being captured"));
    CHECK(updates(plan, others));
    CHECK(planTextOf(plan) == kRows);
    CHECK(specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS);
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("child: a coded plan is as before when an allocation fails" * doctest::skip()) {
  auto a = tridiagonal(60);
  a.val.assign(a.val.size(), 2);
  const auto allocations = [&](const std::string &text, bool isLent) {
    int n = 1;
    while (failsOne(a, text + " values=ones", isLent, n))
      ++n;
    return n - 1;
  };
  CHECK(allocations("csr-merge merge.items=7 merge.threads=256 offset=32 column=32", false) > 1);
  CHECK(allocations(kQcsr, true) > 1);
}

TEST_CASE("child: memory of codes that are not stored stays until the stream is done" *
          doctest::skip()) {
  Counting memory;
  const auto a = ofTwos();
  const std::string text = kRows + " values=codes8";
  specmvPlanOptions_t options = coded(SPECMV_TARGET_GPU, text);
  {
    const Context context(allocatingBy(memory));
    options.context = context;
    const Plan plan(a, options);
    placeAllOnGpu();
    setenv("SPECMV_FAKE_FAILS", "cuMemcpyDtoDAsync_v2", 1);
    memory.lastStream = nullptr;
    CHECK(specmvUpdateValues(plan, a.val.data(), kStream) != SPECMV_STATUS_SUCCESS);
    unsetenv("SPECMV_FAKE_FAILS");
    CHECK(memory.lastStream == kStream);
    CHECK(specmvUpdateValues(plan, a.val.data(), kStream) == SPECMV_STATUS_SUCCESS);
    placeAllOnGpu(false);
    setenv("SPECMV_FAKE_FAILS", "cuMemcpyHtoDAsync_v2", 1);
    const std::string calls = fakeCallsOf([&] { CHECK_FALSE(updates(plan, a.val)); });
    unsetenv("SPECMV_FAKE_FAILS");
    CHECK(waitsIn(calls) == 1);
  }
  CHECK(memory.isClean());
}

TEST_CASE("child: products are refused while only a part of new codes is stored" *
          doctest::skip()) {
  const auto a = ofTwos();
  const std::string text = kRows + " values=codes8";
  const std::vector<double> x(static_cast<size_t>(a.cols));
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double one = 1;
  {
    const Plan plan(a, coded(SPECMV_TARGET_GPU, text));
    const FusedStep step(plan, cgStep());
    const auto multiplies = [&] {
      return specmvExecute(plan, &one, x.data(), &one, y.data(), nullptr) == SPECMV_STATUS_SUCCESS;
    };
    CHECK(updates(plan, differing(a.val.size(), 5)));
    int &failing = *ofFakeDriver<int>("fakeFailingCopy");
    for (const int copy : {1, 2}) { // the codes, then their table
      CAPTURE(copy);
      failing = copy;
      CHECK_FALSE(updates(plan, differing(a.val.size(), 7)));
      REQUIRE(failing == 0);
      CHECK(planTextOf(plan) == text);
      CHECK(multiplies() == (copy == 1));
    }
    const char *const sentence = "the last update failed when it had stored a part of them";
    CHECK(detailHas(sentence));
    placeAllOnGpu();
    std::vector<void *> operands(8, y.data());
    CHECK(specmvExecuteFused(step, operands.data(), operands.data(), nullptr) ==
          SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas(sentence));
    placeAllOnGpu(false);
    // A former bug: the message said that the plan keeps its values.
    setenv("SPECMV_FAKE_FAILS", "cuMemAlloc_v2", 1);
    CHECK_FALSE(updates(plan, differing(a.val.size(), 300)));
    unsetenv("SPECMV_FAKE_FAILS");
    CHECK_MESSAGE(detailHas("so it still has no whole values; call specmvUpdateValues() again"),
                  detail());
    CHECK(updates(plan, differing(a.val.size(), 7)));
    CHECK(multiplies());
    placeAllOnGpu();
    CHECK(launchesIn(callsOfRun(step)) > 0);
    placeAllOnGpu(false);
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("a coded plan is as before when new values fail") {
  for (const char *name :
       {"child: a coded plan is as before when new values fail",
        "child: memory of codes that are not stored stays until the stream is done",
        "child: products are refused while only a part of new codes is stored",
        "child: a coded plan is as before when an allocation fails"})
    passesOnFakeGpu(name);
}
