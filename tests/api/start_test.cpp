// Tests products before the plan (SPECMV_START_NOW): what runs when, what waits, and what is
// refused.
#include "tests/api/start_testing.h"

#include <algorithm>
#include <cstring>

using namespace apitest;

TEST_CASE("child: products before and after the plan is made" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  int &holdsEvents = *ofFakeDriver<int>("fakeHoldsEvents");
  {
    const Plan plan(a, onGpu());
    const char *firstText = nullptr;
    REQUIRE(specmvGetPlanText(plan, &firstText) == SPECMV_STATUS_SUCCESS);
    CHECK(std::string(firstText) == "cusparse-csr offset=32 column=32");
    CHECK_FALSE(isReady(plan));
    CHECK(reportOf(plan) == std::string(kFirst) + " runs now, while the plan is made");
    for (int i = 0; i < 3; ++i)
      CHECK(multipliesRight(plan, a));
    CHECK_FALSE(isReady(plan));
    holdsEvents = 1;
    openGate();
    while (!isReady(plan))
      sleepFor(1000);
    CHECK(startsWith(planTextOf(plan), "csr-vector csr.lanes="));
    CHECK(std::string(firstText) == "cusparse-csr offset=32 column=32"); // it lives on
    const int64_t before = bytesOf(plan);
    multipliesRight(plan, a); // by a fake kernel, so it is not right
    CHECK(bytesOf(plan) >= before);
    holdsEvents = 0; // the first products have ended
    CHECK(bytesOf(plan) < before);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    CHECK(reportOf(plan) == planTextOf(plan) + " runs, after 3 products by " + kFirst);
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS); // too late to change anything
    CHECK(isReady(plan));
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("products begin at once, and the plan takes over when it is made") {
  passesStart("child: products before and after the plan is made");
}

TEST_CASE("child: first products in a graph" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  int &isCapturing = *ofFakeDriver<int>("fakeIsCapturing");
  for (const bool isCaptured : {false, true}) {
    specmvPlanOptions_t options = onGpu();
    options.vectorsOnGpu = 1; // the fake's memory is the host's
    const Plan plan(a, options);
    isCapturing = isCaptured;
    CHECK(multipliesRight(plan, a));
    isCapturing = 0;
    while (!isReady(plan))
      sleepFor(1000);
    const int64_t bytes = bytesOf(plan);
    for (int i = 0; i < 3; ++i)
      multipliesRight(plan, a);
    CHECK(bytesOf(plan) == bytes);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    CHECK((bytesOf(plan) < bytes) == isCaptured); // otherwise they are gone already
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("first products go when they have ended, or with the wait for the plan from a graph") {
  passesStart("child: first products in a graph", kNoGate);
}

TEST_CASE("child: when a set-up begins" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const auto isFirst = [](specmvPlan_t plan) {
    return startsWith(planTextOf(plan), "cusparse-csr"); // this asks for nothing
  };
  {
    const Plan plan(a, onGpu()), other(a, onGpu("ell"));
    sleepFor(50000); // a set-up takes less
    CHECK(isFirst(plan));
    CHECK(isFirst(other));
    CHECK(multipliesRight(plan, a));
    while (isFirst(plan))
      sleepFor(1000);
    CHECK(isFirst(other));
    while (!isReady(other))
      sleepFor(1000);
    CHECK(startsWith(planTextOf(other), "ell"));
    const Plan cancelled(a, onGpu()), unused(a, onGpu());
    CHECK(specmvPlanCancel(cancelled) == SPECMV_STATUS_SUCCESS);
    CHECK(reportOf(cancelled) ==
          std::string(kFirst) + " stays in use, because the set-up was cancelled");
    CHECK(multipliesRight(cancelled, a));
    CHECK(specmvPlanWait(cancelled) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(isFirst(unused));
  }
  CHECK(leftOnFakeGpu() == 0);
}

// It competed with the first product, which got a head start of some time.
TEST_CASE("on a GPU a set-up begins after the first product, or when somebody asks for the plan") {
  passesStart("child: when a set-up begins", kNoGate);
}

TEST_CASE("child: a report of borrowed rates" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const std::string clause =
      "; no rates were measured on NVIDIA A100-SXM4-80GB: predictions use those of ";
  const Plan waited(a, optionsOf(SPECMV_TARGET_GPU, "csr-vector"));
  for (int i = 0; i < 2; ++i) {
    const std::string report = reportOf(waited);
    CHECK_MESSAGE(startsWith(report, planTextOf(waited) + " runs" + clause), report);
    CHECK_MESSAGE(report.find(clause) == report.rfind(clause), report);
  }
  const Plan begun(a, onGpu());
  REQUIRE(specmvPlanWait(begun) == SPECMV_STATUS_SUCCESS);
  CHECK(startsWith(reportOf(begun),
                   planTextOf(begun) + " runs" + clause)); // no product ran before
  const Plan onHost(a, optionsOf(SPECMV_TARGET_HOST));
  CHECK(reportOf(onHost) ==
        "plain CSR on the host runs; a GPU would run '" + planTextOf(onHost) + "'");
}

TEST_CASE("the report ends with whose rates predict where the GPU has none of its own") {
  passesStart("child: a report of borrowed rates", {{"SPECMV_FAKE_NVRTC_GATE", "/"},
                                                    {"SPECMV_FAKE_NAME", "NVIDIA A100-SXM4-80GB"},
                                                    {"SPECMV_FAKE_CLOCK", "1410000"}});
}

TEST_CASE("child: arrays on the GPU" * doctest::skip()) {
  auto a = randomCsr<int32_t, double>(50, 40, 5);
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
  const Plan plan(a, onGpu());
  CHECK(multipliesRight(plan, a));
  std::reverse(a.val.begin(), a.val.end());
  CHECK(multipliesRight(plan, a)); // it has no copy
  openGate();
  CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
  if (startsWith(planTextOf(plan), "cusparse-csr"))
    CHECK_FALSE(isReady(plan)); // the arrays are needed as long as the plan
  else
    CHECK(isReady(plan));
}

TEST_CASE("arrays on the GPU are needed until the plan is ready") {
  passesStart("child: arrays on the GPU");
}

TEST_CASE("child: what waits for the set-up" * doctest::skip()) {
  auto a = randomCsr<int32_t, double>(50, 40, 5);
  const Plan first(a, onGpu());
  std::thread opener([] {
    sleepFor(20000);
    openGate();
  });
  a.val = integers<double>(static_cast<int64_t>(a.val.size()), 9);
  CHECK_MESSAGE(specmvUpdateValues(first, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS,
                detail());
  CHECK(startsWith(planTextOf(first), "csr-vector"));
  opener.join();
  specmvPlanOptions_t options = startOptions(SPECMV_TARGET_GPU);
  options.structureOf = first;
  const Plan second(a, options);
  REQUIRE(specmvPlanWait(second) == SPECMV_STATUS_SUCCESS);
  CHECK(planTextOf(second) == planTextOf(first));
}

TEST_CASE("new values, and plans in the way of one, wait for its set-up") {
  passesStart("child: what waits for the set-up");
}

TEST_CASE("child: no first product can be had" * doctest::skip()) {
  const Plan plan(smallCsr(), onGpu());
  CHECK(isReady(plan));
  CHECK(startsWith(planTextOf(plan), "csr-vector"));
  CHECK(reportOf(plan) == planTextOf(plan) + " runs");
  // The plan's kernels are loaded now, but csr-merge is not among them.
  const Plan merge(smallCsr(), onGpu("csr-merge"));
  CHECK(isReady(merge));
  const Plan next(smallCsr(), onGpu());
  CHECK(reportOf(next).find("csr-merge on the arrays as they are") != std::string::npos);
  CHECK(specmvPlanWait(next) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("without cuSPARSE and kernels the plan is waited for") {
  const ScratchDirectory scratch("specmv-start");
  passesWithFakeGpu("child: no first product can be had",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                     {"SPECMV_CACHE_PATH", ""},
                     {"SPECMV_STANDARD_PACK", ""},
                     {"SPECMV_CACHE_DIR", scratch.path()}});
}

TEST_CASE("on the host, products begin with a copy of the arrays") {
  auto a = randomCsr<int32_t, double>(500, 400, 5);
  specmvPlanOptions_t options = startOptions(SPECMV_TARGET_HOST);
  options.updatable = 1;
  const Plan plan(a, options);
  CHECK(multipliesRight(plan, a));
  REQUIRE(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(isReady(plan));
  CHECK(reportOf(plan) == "plain CSR on the host runs, after 1 product by plain CSR on the host; a "
                          "GPU would run '" +
                              planTextOf(plan) + "'");
  CHECK(bytesOf(plan) == 501 * 4 + static_cast<int64_t>(a.col.size()) * 12);
  CHECK(planTextOf(plan) == planTextOf(Plan(a)));
  a.val = integers<double>(static_cast<int64_t>(a.val.size()), 9);
  REQUIRE(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(multipliesRight(plan, a));
}

TEST_CASE(
    "arrays that form no matrix are found at once by rowPtr's ends, else beside the products") {
  auto a = randomCsr<int32_t, double>(500, 400, 5);
  a.col[7] = 400;
  const Plan plan(a, startOptions(SPECMV_TARGET_HOST));
  CHECK(specmvPlanWait(plan) == SPECMV_STATUS_INVALID_MATRIX);
  CHECK(detailHas("column 400"));
  CHECK(startsWith(reportOf(plan), "plain CSR on the host stays in use, because the set-up"));
  a.rowPtr.back() += 1;
  const Matrix m(a);
  specmvPlan_t none = nullptr;
  const specmvPlanOptions_t options = startOptions(SPECMV_TARGET_HOST);
  CHECK(specmvCreatePlan(&none, m, &options) == SPECMV_STATUS_INVALID_MATRIX);
  CHECK(none == nullptr);
}

TEST_CASE("a bad call is refused at once, also where products begin at once") {
  const Matrix m(smallCsr());
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = startOptions(SPECMV_TARGET_HOST, "ell,nonsense");
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("nonsense"));
  options = startOptions(SPECMV_TARGET_HOST);
  const int beyond = 2;
  std::memcpy(&options.start, &beyond, sizeof beyond);
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("start = 2"));
  int ready = 0;
  const char *sentence = nullptr;
  const Plan made(smallCsr());
  CHECK(specmvPlanReady(nullptr, &ready) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvPlanReady(made, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvPlanWait(nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvPlanCancel(nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanReport(nullptr, &sentence) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanReport(made, nullptr) == SPECMV_STATUS_INVALID_VALUE);
}

TEST_CASE("a plan that was waited for is ready") {
  const Plan plan(smallCsr());
  CHECK(isReady(plan));
  CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(reportOf(plan) == "plain CSR on the host runs; a GPU would run '" + planTextOf(plan) + "'");
  CHECK(multipliesRight(plan, smallCsr()));
}

TEST_CASE("child: waiting for a set-up has a limit" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  {
    const Plan plan(a, onGpu());
    const auto waited = [&](int milliseconds) {
      int ready = -1;
      CHECK_MESSAGE(specmvPlanWaitFor(plan, milliseconds, &ready) == SPECMV_STATUS_SUCCESS,
                    detail());
      return ready;
    };
    CHECK(waited(0) == 0);
    const auto before = std::chrono::steady_clock::now();
    CHECK(waited(50) == 0);
    CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(50));
    CHECK(multipliesRight(plan, a));
    CHECK(startsWith(planTextOf(plan), "cusparse-csr"));
    int ready = -1;
    CHECK(specmvPlanWaitFor(plan, -1, &ready) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("milliseconds = -1"));
    CHECK(ready == 0);
    CHECK(specmvPlanWaitFor(plan, 1, nullptr) == SPECMV_STATUS_INVALID_VALUE);
    specmvPlanShape_t shape = SPECMV_PLAN_SHAPE_INIT; // known before the plan is made
    CHECK(specmvGetPlanShape(plan, &shape) == SPECMV_STATUS_SUCCESS);
    CHECK(shape.rows == 50);
    CHECK(shape.nnz == static_cast<int64_t>(a.col.size()));
    CHECK(shape.vectors == 1);
    openGate();
    while (waited(0) == 0)
      sleepFor(1000);
    CHECK(startsWith(planTextOf(plan), "csr-vector csr.lanes="));
    CHECK(waited(60000) == 1); // at once
    CHECK(waited(0) == 1);

    specmvPlanOptions_t options = onGpu("ell");
    const Plan cancelled(a, options);
    options = onGpu("sell");
    REQUIRE(specmvPlanCancel(cancelled) == SPECMV_STATUS_SUCCESS);
    CHECK(specmvPlanWaitFor(cancelled, 0, &ready) == specmvPlanWait(cancelled));
    options.vectors = 8;
    const Plan several(a, options);
    REQUIRE(specmvGetPlanShape(several, &shape) == SPECMV_STATUS_SUCCESS);
    CHECK(shape.vectors == 8);
    REQUIRE(specmvPlanCancel(several) == SPECMV_STATUS_SUCCESS);
    REQUIRE(specmvGetPlanShape(several, &shape) == SPECMV_STATUS_SUCCESS);
    CHECK(shape.vectors == 1);
    CHECK(ready == 1);

    const auto narrow = randomCsr<int32_t, float>(50, 40, 5);
    options.doubleVectors = 1;
    const Plan wide(narrow, options);
    int64_t workspace = 0; // of rows of X, which are double
    REQUIRE(specmvGetPlanWorkspace(wide, &workspace) == SPECMV_STATUS_SUCCESS);
    CHECK(workspace == 40 * 8 * 8);
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("waiting for a set-up has a limit") {
  passesStart("child: waiting for a set-up has a limit");
}
