// Products before the plan (SPECMV_START_NOW): what runs when, how a set-up ends, and that every
// end is clean. The GPU, the compiler and cuSPARSE are the tests' own; kernels do nothing there, so
// that only cuSPARSE's products are looked at.
#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace apitest;

namespace {

specmvPlanOptions_t startOptions(specmvTarget_t target, const char *formats = nullptr) {
  specmvPlanOptions_t options{};
  options.structSize = sizeof options;
  options.target = target;
  options.formats = formats;
  options.start = SPECMV_START_NOW;
  return options;
}
specmvPlanOptions_t onGpu(const char *formats = "csr-vector") {
  return startOptions(SPECMV_TARGET_GPU, formats);
}

std::string planTextOf(specmvPlan_t plan) {
  const char *text = nullptr;
  REQUIRE(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
  return text;
}

std::string reportOf(specmvPlan_t plan) {
  const char *sentence = nullptr;
  REQUIRE(specmvGetPlanReport(plan, &sentence) == SPECMV_STATUS_SUCCESS);
  return sentence;
}

int64_t bytesOf(specmvPlan_t plan) {
  int64_t bytes = 0;
  REQUIRE(specmvGetPlanSetup(plan, nullptr, &bytes) == SPECMV_STATUS_SUCCESS);
  return bytes;
}

bool isReady(specmvPlan_t plan) {
  int ready = -1;
  CHECK_MESSAGE(specmvPlanReady(plan, &ready) == SPECMV_STATUS_SUCCESS, detail());
  return ready == 1;
}

bool startsWith(const std::string &text, const std::string &begin) {
  return text.rfind(begin, 0) == 0;
}

bool multipliesRight(specmvPlan_t plan, const Csr<int32_t, double> &a) {
  const std::vector<double> x = integers<double>(a.cols, 3);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double alpha = 2, beta = 0;
  REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  return y == naiveProduct(a, alpha, x, beta, y);
}

// The fake compiler waits for this.
void openGate() { writeFile(std::getenv("SPECMV_FAKE_NVRTC_GATE"), ""); }

constexpr const char *kFirst = "cusparse-csr on the arrays as they are";

using Environment = std::vector<std::pair<std::string, std::string>>;

void passesStart(const std::string &testCase, const Environment &more = {}) {
  const ScratchDirectory scratch("specmv-start");
  Environment environment{{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                          {"SPECMV_FAKE_CUSPARSE", "1"},
                          {"SPECMV_CACHE_PATH", ""},
                          {"SPECMV_STANDARD_PACK", ""},
                          {"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                          {"SPECMV_FAKE_NVRTC_GATE", scratch.path() + "/gate"}};
  environment.insert(environment.end(), more.begin(), more.end());
  passesWithFakeGpu(testCase, environment);
}

const Environment kNoGate{{"SPECMV_FAKE_NVRTC_GATE", "/"}};

void sleepFor(int64_t microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

} // namespace

TEST_CASE("child: products before and after the plan is made" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
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
    openGate();
    while (!isReady(plan))
      sleepFor(1000);
    CHECK(startsWith(planTextOf(plan), "csr-vector csr.lanes="));
    CHECK(std::string(firstText) == "cusparse-csr offset=32 column=32"); // it lives on
    const int64_t before = bytesOf(plan);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    CHECK(bytesOf(plan) < before);
    CHECK(reportOf(plan) == planTextOf(plan) + " runs, after 3 products by " + kFirst);
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS); // too late to change anything
    CHECK(isReady(plan));
  }
  CHECK(fakeLive() == 0);
}

TEST_CASE("products begin at once, and the plan takes over when it is made") {
  passesStart("child: products before and after the plan is made");
}

TEST_CASE("child: a set-up is cancelled" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  {
    const Plan plan(a, onGpu());
    std::thread opener([] {
      sleepFor(20000);
      openGate(); // the cancelled set-up waits in a compilation
    });
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
    opener.join();
    CHECK(reportOf(plan) ==
          std::string(kFirst) + " runs for good, because the set-up was cancelled");
    CHECK(isReady(plan)); // the arrays of the host were uploaded
    CHECK(multipliesRight(plan, a));
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("cancelled"));
    CHECK(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("cancelled"));
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
    // What was cancelled is no way to follow.
    specmvPlanOptions_t options = onGpu("ell");
    options.start = SPECMV_START_WAIT;
    options.structureOf = plan;
    CHECK(startsWith(planTextOf(Plan(a, options)), "ell"));
  }
  CHECK(fakeLive() == 0);
}

TEST_CASE("a set-up that is cancelled leaves the first products") {
  passesStart("child: a set-up is cancelled");
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

TEST_CASE("child: a set-up fails" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const auto expected = static_cast<specmvStatus_t>(std::atoi(std::getenv("SPECMV_TEST_STATUS")));
  const std::string sentence = std::getenv("SPECMV_TEST_SENTENCE");
  {
    const Plan plan(a, onGpu());
    CHECK(multipliesRight(plan, a));
    openGate();
    CHECK(specmvPlanWait(plan) == expected);
    CHECK_MESSAGE(detailHas(sentence), detail());
    int ready = -1;
    CHECK(specmvPlanReady(plan, &ready) == expected);
    CHECK(ready == 1);
    CHECK(startsWith(reportOf(plan),
                     std::string(kFirst) + " runs for good, because the set-up failed: "));
    CHECK(reportOf(plan).find(sentence) != std::string::npos);
    CHECK(multipliesRight(plan, a));
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
  }
  CHECK(fakeLive() == 0);
}

TEST_CASE("a set-up that fails is told by those who wait, and the first products stay") {
  passesStart("child: a set-up fails",
              {{"SPECMV_FAKE_FAILS", "cuMemsetD8Async"},
               {"SPECMV_TEST_STATUS", std::to_string(SPECMV_STATUS_INTERNAL_ERROR)},
               {"SPECMV_TEST_SENTENCE", "cuMemsetD8Async failed"}});
  passesStart("child: a set-up fails",
              {{"SPECMV_FAKE_NVRTC", "archs"},
               {"SPECMV_TEST_STATUS", std::to_string(SPECMV_STATUS_INTERNAL_ERROR)},
               {"SPECMV_TEST_SENTENCE", "cannot list the architectures"}});
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

TEST_CASE("child: plans that end in the middle" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const auto work = [&a](uint64_t seed) {
    Dice dice{seed};
    const char *const formats[] = {"csr-vector", "ell", "coo", "csr-merge"};
    for (int round = 0; round < 25; ++round) {
      const Plan plan(a, onGpu(formats[dice.below(4)]));
      std::vector<double> x(40), y(50);
      const double one = 1;
      for (int64_t products = dice.below(5); products > 0; --products) {
        sleepFor(dice.below(500));
        CHECK(specmvExecute(plan, &one, x.data(), &one, y.data(), nullptr) ==
              SPECMV_STATUS_SUCCESS);
      }
      const int64_t end = dice.below(3);
      if (end == 0)
        CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
      else if (end == 1)
        CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
  CHECK(fakeLive() == 0);
}

TEST_CASE("plans of two threads may end at any moment") {
  Environment slow = kNoGate;
  slow.emplace_back("SPECMV_FAKE_NVRTC_US", "300");
  passesStart("child: plans that end in the middle", slow);
}

TEST_CASE("child: the process ends" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = onGpu(nullptr);
  REQUIRE(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_SUCCESS);
  sleepFor(std::atoi(std::getenv("SPECMV_TEST_DELAY")));
  std::exit(0); // as by a return from main
}

TEST_CASE("a process may end while a plan is made") {
  Environment slow = kNoGate;
  slow.emplace_back("SPECMV_FAKE_NVRTC_US", "2000");
  slow.emplace_back("SPECMV_TEST_DELAY", "");
  for (int i = 0; i < 50; ++i) {
    slow.back().second = std::to_string(i % 10 * 400);
    passesStart("child: the process ends", slow);
  }
}

TEST_CASE("child: no first product can be had" * doctest::skip()) {
  const Plan plan(smallCsr(), onGpu());
  CHECK(isReady(plan));
  CHECK(startsWith(planTextOf(plan), "csr-vector"));
  CHECK(reportOf(plan) == planTextOf(plan) + " runs");
  // Its kernels are loaded now, but csr-merge is not among them.
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
  const Plan plan(a, startOptions(SPECMV_TARGET_HOST));
  CHECK(multipliesRight(plan, a));
  REQUIRE(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(isReady(plan));
  CHECK(reportOf(plan) == "plain CSR on the host runs, after 1 products by plain CSR on the host");
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
  CHECK(startsWith(reportOf(plan), "plain CSR on the host runs for good, because the set-up"));
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
  CHECK(reportOf(plan) == "plain CSR on the host runs");
  CHECK(multipliesRight(plan, smallCsr()));
}
