// Tests plans that take turns in the program's products, by the calls of the fake driver, whose
// events tell the times that a test plants.
#include "tests/api/learning_testing.h"

using namespace apitest;

namespace {

// The stream of the learning, and another one.
void *const kOther = reinterpret_cast<void *>(uintptr_t{128});

void multiply(specmvPlan_t plan, int products, void *stream = kStream) {
  for (int i = 0; i < products; ++i)
    CHECK_MESSAGE(multiplyFromHost(plan, stream) == SPECMV_STATUS_SUCCESS, detail());
}

// Sets the microseconds that events tell from now on.
void plantTimes(const std::vector<float> &us) {
  float *const times = ofFakeDriver<float>("fakeTimes");
  std::fill(times, times + 64, 0.0F);
  std::copy(us.begin(), us.end(), times);
  *ofFakeDriver<int>("fakeTimings") = 0;
}

int storesIn(const std::string &calls) {
  int count = 0;
  for (const char *call : {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoDAsync_v2", "cuLaunchKernel"})
    count += countOf(call, calls);
  return count;
}

} // namespace

TEST_CASE("child: the fastest plan stays" * doctest::skip()) {
  {
    const specmvPlan_t plan = learnerOf(learning());
    const std::vector<std::string> plans = plansOf(plan);
    REQUIRE(plans.size() == 3);
    CHECK(textOf(plan) == plans[0]);
    CHECK(reportOf(plan) ==
          plans[0] + " runs in turn with 2 other plans, until the fastest is known");
    const int64_t bytes = bytesOf(plan);
    plantTimes({200, 100, 112}); // of two products each
    const std::string calls = fakeCallsOf([&] { multiply(plan, 14); });
    CHECK(waitsIn(calls) == 0);
    CHECK(countOf("cuEventElapsedTime", calls) == 3);
    CHECK(stateOf(plan) == "over");
    CHECK(textOf(plan) == plans[1]);
    CHECK(reportOf(plan) == plans[1] + " runs, the fastest of 3 plans in 6 timed products");
    CHECK(textsIn(jsonOf(plan), "chosenBy") == std::vector<std::string>{"learned"});
    CHECK(bytesOf(plan) < bytes);
    const std::string later = fakeCallsOf([&] { multiply(plan, 5); });
    CHECK(countOf("cuEventElapsedTime", later) + countOf("cuEventQuery", later) == 0);
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("the fastest plan stays, the memory of the others is freed, and nothing waits") {
  passesWithSlowKernels("child: the fastest plan stays");
}

TEST_CASE("child: learning that ends early" * doctest::skip()) {
  using End = void (*)(specmvPlan_t);
  const std::pair<const char *, End> ends[] = {
      {"a captured product",
       [](specmvPlan_t plan) {
         int &captures = *ofFakeDriver<int>("fakeIsCapturing");
         captures = 1;
         const std::string calls = fakeCallsOf([&] { multiply(plan, 2); });
         captures = 0;
         CHECK(countOf("cuEventRecord", calls) + waitsIn(calls) == 0);
       }},
      {"another stream", [](specmvPlan_t plan) { multiply(plan, 1, kOther); }},
      {"destroyed in order",
       [](specmvPlan_t plan) {
         specmvPlan_t other = learnerOf(learning());
         multiply(other, 4);
         CHECK(specmvDestroyPlanAsync(other, kStream) == SPECMV_STATUS_SUCCESS);
         multiply(plan, 1, kOther);
       }},
  };
  for (const auto &each : ends)
    for (const int before : {0, 1, 5}) { // in no turn, the first and the second plan's
      if (before == 0 && &each != ends)
        continue;
      CAPTURE(std::string(each.first));
      CAPTURE(before);
      const specmvPlan_t plan = learnerOf(learning());
      const std::string first = textOf(plan);
      const int64_t bytes = bytesOf(plan);
      plantTimes({});
      multiply(plan, before);
      CHECK(stateOf(plan) == "running");
      each.second(plan);
      CHECK(stateOf(plan) == "over");
      CHECK(textOf(plan) == first);
      multiply(plan, 1, kOther);
      multiply(plan, 2); // on its own stream the rivals' memory is freed
      CHECK(bytesOf(plan) < bytes);
      CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
      CHECK(leftOnFakeGpu() == 0);
    }
}

TEST_CASE("learning ends with a product that graphs may keep, or on another stream") {
  passesWithSlowKernels("child: learning that ends early");
}

TEST_CASE("child: vectors on the host" * doctest::skip()) {
  specmvPlanOptions_t options = learning();
  options.vectorsOnGpu = 0;
  const specmvPlan_t plan = learnerOf(options);
  const int64_t bytes = bytesOf(plan);
  multiply(plan, 1);
  CHECK(stateOf(plan) == "over");
  CHECK(bytesOf(plan) < bytes);
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("products with vectors on the host learn nothing, and the rivals' memory is free") {
  passesWithSlowKernels("child: vectors on the host");
}

TEST_CASE("child: times that do not come" * doctest::skip()) {
  const specmvPlan_t plan = learnerOf(learning());
  setenv("SPECMV_FAKE_NOT_READY", "1", 1);
  const std::string calls = fakeCallsOf([&] { multiply(plan, 40); });
  CHECK(stateOf(plan) == "running");
  CHECK(waitsIn(calls) == 0);
  CHECK(countOf("cuEventElapsedTime", calls) == 0);
  unsetenv("SPECMV_FAKE_NOT_READY");
  setenv("SPECMV_FAKE_FAILS", "cuEventElapsedTime", 1);
  multiply(plan, 2);
  CHECK(stateOf(plan) == "over");
  unsetenv("SPECMV_FAKE_FAILS");
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("products run by the prediction while no time is known, and for good if none can be") {
  passesWithSlowKernels("child: times that do not come");
}

TEST_CASE("child: a product fails" * doctest::skip()) {
  const specmvPlan_t plan = learnerOf(learning());
  const std::vector<std::string> plans = plansOf(plan);
  plantTimes({112, 100}); // of the two other plans' turns
  multiply(plan, 1);
  setenv("SPECMV_FAKE_FAILS", "cuLaunchKernelEx", 1);
  CHECK(multiplyFromHost(plan, kStream) != SPECMV_STATUS_SUCCESS);
  unsetenv("SPECMV_FAKE_FAILS");
  const std::string calls = fakeCallsOf([&] { multiply(plan, 13); });
  CHECK(countOf("cuEventElapsedTime", calls) == 2);
  CHECK(stateOf(plan) == "over");
  CHECK(textOf(plan) == plans[2]);
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("a product that fails gives up the time of its turn") {
  passesWithSlowKernels("child: a product fails");
}

TEST_CASE("child: new values" * doctest::skip()) {
  specmvPlanOptions_t options = learning();
  options.updatable = 1;
  const specmvPlan_t plan = learnerOf(options);
  const int ofOne = [&] {
    specmvPlanOptions_t alone = options;
    alone.rigor = SPECMV_RIGOR_ESTIMATE;
    const specmvPlan_t other = learnerOf(alone);
    const std::string calls = fakeCallsOf([&] {
      CHECK(specmvUpdateValues(other, fakeGpuMatrix().val.data(), kStream) ==
            SPECMV_STATUS_SUCCESS);
    });
    CHECK(specmvDestroyPlan(other) == SPECMV_STATUS_SUCCESS);
    return storesIn(calls);
  }();
  CHECK(ofOne > 0);
  const auto update = [&] {
    return storesIn(fakeCallsOf([&] {
      CHECK_MESSAGE(specmvUpdateValues(plan, fakeGpuMatrix().val.data(), kStream) ==
                        SPECMV_STATUS_SUCCESS,
                    detail());
    }));
  };
  CHECK(update() == 3 * ofOne);
  multiply(plan, 4);
  CHECK(update() == 3 * ofOne);
  CHECK(stateOf(plan) == "running");
  multiply(plan, 1, kOther);
  CHECK(update() == ofOne);
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("new values go to all plans that take turns") {
  passesWithSlowKernels("child: new values");
}

TEST_CASE("child: no new values" * doctest::skip()) {
  const specmvPlan_t plan = learnerOf(learning("csr-vector,csr-merge,csr-scalar"));
  for (const char *state : {"running", "over"}) {
    CHECK(stateOf(plan) == state);
    CHECK(specmvUpdateValues(plan, fakeGpuMatrix().val.data(), kStream) ==
          SPECMV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE(detailHas("cannot be replaced: with SPECMV_RIGOR_ONLINE it was compared with "
                            "other plans, all of which would need the new values; set updatable"),
                  detail());
    multiply(plan, 1, kOther), multiply(plan, 1);
  }
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
}

// A former bug: the reason was that of plans that are not compared.
TEST_CASE("plans that were compared refuse new values for that reason, but for updatable ones") {
  passesWithSlowKernels("child: no new values");
}

TEST_CASE("child: what does not learn" * doctest::skip()) {
  using Change = void (*)(specmvPlanOptions_t &);
  const Change changes[] = {
      [](specmvPlanOptions_t &o) { o.target = SPECMV_TARGET_HOST; },
      [](specmvPlanOptions_t &o) { o.scratchPerStream = 1; },
      [](specmvPlanOptions_t &o) { o.vectors = 2; },
      [](specmvPlanOptions_t &o) { o.fused = 1; },
      [](specmvPlanOptions_t &o) { o.formats = "ell"; },
      [](specmvPlanOptions_t &o) { // what the first plan alone needs
        o.formats = "csr-vector,csr-merge";
        specmvPlanOptions_t alone = learning(o.formats);
        alone.rigor = SPECMV_RIGOR_ESTIMATE;
        const specmvPlan_t plan = learnerOf(alone);
        o.maxBytes = bytesOf(plan);
        CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
      },
  };
  for (const Change &change : changes) {
    CAPTURE(&change - changes);
    specmvPlanOptions_t options = learning();
    change(options);
    const specmvPlan_t plan = learnerOf(options);
    CHECK(stateOf(plan) == "none");
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  }
  specmvPlanOptions_t started = learning();
  started.start = SPECMV_START_NOW;
  const specmvPlan_t plan = learnerOf(started);
  CHECK(stateOf(plan) == "none"); // not yet
  CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(stateOf(plan) == "running");
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE(
    "plans on the host, of several streams, vectors or steps, or without rivals do not learn") {
  passesWithSlowKernels("child: what does not learn");
}

TEST_CASE("child: products that launches hide" * doctest::skip()) {
  const specmvPlan_t plan = learnerOf(learning());
  CHECK(stateOf(plan) == "none");
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("products that end before the next launch are not compared") {
  passesOnFakeGpu("child: products that launches hide");
}

TEST_CASE("child: what was learned is kept" * doctest::skip()) {
  // Without formats the fake GPU's rivals are what the predictions give.
  const specmvPlan_t plan = learnerOf(learning(nullptr));
  REQUIRE(stateOf(plan) == "running");
  const std::vector<std::string> plans = plansOf(plan);
  plantTimes({200, 100, 112}); // of two products each
  multiply(plan, 14);
  REQUIRE(stateOf(plan) == "over");
  CHECK(textOf(plan) == plans[1]);
  const specmvPlan_t next = learnerOf(learning(nullptr));
  CHECK(stateOf(next) == "none");
  CHECK(textOf(next) == plans[1]);
  CHECK(textsIn(jsonOf(next), "chosenBy") == std::vector<std::string>{"wisdom"});
  for (const specmvPlan_t each : {plan, next})
    CHECK(specmvDestroyPlan(each) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("the next plan of the matrix is what was learned") {
  passesWithSlowKernels("child: what was learned is kept");
}
