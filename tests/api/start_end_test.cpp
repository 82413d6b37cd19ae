// Tests how a set-up beside products ends: cancelled, failed, midway, or with the process. Every
// end must be clean.
#include "tests/api/fused_testing.h"
#include "tests/api/start_testing.h"
#include "tests/sanitized.h"

#include <atomic>
#include <sys/wait.h>
#include <unistd.h>

using namespace apitest;

TEST_CASE("child: a set-up is cancelled" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  {
    const Plan plan(a, onGpu());
    CHECK_FALSE(isReady(plan)); // begins the set-up
    std::thread opener([] {
      sleepFor(20000);
      openGate(); // the cancelled set-up waits in a compilation
    });
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
    opener.join();
    CHECK(reportOf(plan) ==
          std::string(kFirst) + " stays in use, because the set-up was cancelled");
    CHECK(isReady(plan)); // the arrays of the host were uploaded
    CHECK(multipliesRight(plan, a));
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("cancelled"));
    CHECK(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("cancelled"));
    const specmvFusion_t fusion = cgStep();
    specmvFused_t step = nullptr;
    CHECK(specmvCreateFused(&step, plan, &fusion) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detail() ==
          "the plan's set-up was cancelled, so the plan has no fused steps; make a new plan");
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
    // A cancelled plan cannot be followed.
    specmvPlanOptions_t options = onGpu("ell");
    options.start = SPECMV_START_WAIT;
    options.structureOf = plan;
    CHECK(startsWith(planTextOf(Plan(a, options)), "ell"));
  }
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("a set-up that is cancelled leaves the first products") {
  passesStart("child: a set-up is cancelled");
}

// A former bug: the set-up was reported as cancelled.
TEST_CASE("a set-up that had failed before it was cancelled has failed") {
  auto a = randomCsr<int32_t, double>(50, 40, 5);
  a.col[7] = 40;
  std::atomic<bool> isTold{false};
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.log = [](void *user, specmvLogLevel_t level, const char *) {
    if (level == SPECMV_LOG_ERROR)
      *static_cast<std::atomic<bool> *>(user) = true;
  };
  settings.logUser = &isTold;
  specmvContext_t context = nullptr;
  REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = startOptions(SPECMV_TARGET_HOST, nullptr);
  options.context = context;
  {
    const Plan plan(a, options);
    while (!isTold)
      sleepFor(100);
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_INVALID_MATRIX);
    CHECK(detailHas("column 40 is out of range"));
    CHECK(reportOf(plan).find("because the set-up failed") != std::string::npos);
  }
  specmvDestroyContext(context);
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
                     std::string(kFirst) + " stays in use, because the set-up failed: "));
    CHECK(reportOf(plan).find(sentence) != std::string::npos);
    CHECK(multipliesRight(plan, a));
    CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS);
  }
  CHECK(leftOnFakeGpu() == 0);
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
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("plans of two threads may end at any moment") {
  Variables slow = kNoGate;
  slow.emplace_back("SPECMV_FAKE_NVRTC_US", "300");
  passesStart("child: plans that end in the middle", slow);
}

TEST_CASE("child: the process ends" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = onGpu(nullptr);
  REQUIRE(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_SUCCESS);
  if (std::getenv("SPECMV_TEST_BEGINS"))
    isReady(plan);
  const char *const delay = std::getenv("SPECMV_TEST_DELAY");
  sleepFor(delay ? std::atoi(delay) : 0);
  const std::string end = std::getenv("SPECMV_TEST_END");
  if (end == "fork") {
    std::thread waiting([&] { specmvPlanWait(plan); });
    waiting.detach();
    const pid_t child = fork();
    if (child == 0)
      std::exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    std::exit(status);
  }
  std::exit(0); // as by a return from main
}

TEST_CASE("a process may end while a plan is made") {
  Variables slow = kNoGate;
  slow.emplace_back("SPECMV_FAKE_NVRTC_US", "2000");
  slow.emplace_back("SPECMV_TEST_END", "exit");
  passesStart("child: the process ends", slow); // before the set-up has begun
  slow.emplace_back("SPECMV_TEST_BEGINS", "");
  slow.emplace_back("SPECMV_TEST_DELAY", "");
  for (int i = 0; i < 50; ++i) {
    slow.back().second = std::to_string(i % 10 * 400);
    passesStart("child: the process ends", slow);
  }
}

TEST_CASE("child: the process ends while a plan of another thread is made" * doctest::skip()) {
  const auto small = randomCsr<int32_t, double>(50, 40, 5);
  const auto large = randomCsr<int32_t, double>(200000, 80000, 5);
  // With a kernel in the cache, no library is opened below. If one were, the work would end before
  // the destruction of all objects made until then.
  REQUIRE(statusInChild(small, [] {}) == SPECMV_STATUS_SUCCESS);
  const Matrix first(small), second(large);
  const specmvPlanOptions_t options = startOptions(SPECMV_TARGET_HOST);
  specmvPlan_t made = nullptr, inWork = nullptr;
  std::thread([&] {
    CHECK(specmvCreatePlan(&made, first, &options) == SPECMV_STATUS_SUCCESS);
    CHECK(specmvPlanWait(made) == SPECMV_STATUS_SUCCESS); // what set-ups share was made by this one
    CHECK(specmvCreatePlan(&inWork, second, &options) == SPECMV_STATUS_SUCCESS);
  }).join();
  sleepFor(std::atoi(std::getenv("SPECMV_TEST_DELAY")));
  std::exit(0);
}

// The thread that begins the plan ends before the process does, so the work must end when the
// objects that it uses are destroyed.
TEST_CASE("a process may end while a plan is made that another thread began") {
  Variables late = kNoGate;
  late.emplace_back("SPECMV_TEST_DELAY", "");
  for (const char *const delay : {"0", "2000", "5000", "10000", "20000"}) {
    late.back().second = delay;
    passesStart("child: the process ends while a plan of another thread is made", late);
  }
}

// A sanitizer has its own locks, which a thread may hold while the process forks.
TEST_CASE("so may a child that it has forked" * doctest::skip(kSanitized)) {
  Variables slow = kNoGate;
  slow.emplace_back("SPECMV_FAKE_NVRTC_US", "20000");
  slow.emplace_back("SPECMV_TEST_END", "fork");
  slow.emplace_back("SPECMV_TEST_BEGINS", "");
  slow.emplace_back("SPECMV_TEST_DELAY", "100");
  for (int i = 0; i < 3; ++i)
    passesStart("child: the process ends", slow);
}
