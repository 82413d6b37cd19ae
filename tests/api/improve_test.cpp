// Tests plans that improve while they multiply: when the better plan takes over, what they say of
// it, and what keeps them as they are.
#include "tests/api/fused_testing.h"
#include "tests/api/improving_testing.h"
#include "tests/sanitized.h"

#include <sys/wait.h>

using namespace apitest;

namespace {

int64_t bytesOfPlan(const char *format, const specmvPlanOptions_t &options) {
  const specmvPlan_t plan = planOf(format, options);
  const int64_t bytes = bytesOf(plan);
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  return bytes;
}

} // namespace

TEST_CASE("child: a plan improves" * doctest::skip()) {
  ImprovingContext context;
  const specmvPlanOptions_t options = improving(context);
  const specmvPlan_t plan = improvingPlan(options);
  const std::string before = textOf(plan);
  const char *told = nullptr;
  REQUIRE(specmvGetPlanText(plan, &told) == SPECMV_STATUS_SUCCESS);
  multiplySome(plan, 3);
  CHECK(runs(plan, "csr-scalar"));
  CHECK_FALSE(isReady(plan));
  CHECK(improvementOf(plan, "state") == "running");
  const std::string better = improvementOf(plan, "plan");
  CHECK(startsWith(better, "csr-vector"));
  CHECK(reportOf(plan) == before + " runs; the better plan '" + better + "' is being made");
  CHECK(jsonOf(plan).find(R"("better":{"format":"csr-vector")") != std::string::npos);
  int ready = -1;
  CHECK(specmvPlanWaitFor(plan, 1, &ready) == SPECMV_STATUS_SUCCESS);
  CHECK(ready == 0);

  const std::string calls = fakeCallsOf([&] { finish(plan); });
  CHECK(countOf("cuStreamCreateWithPriority", calls) == 1);
  CHECK(runs(plan, "csr-vector"));
  CHECK(textOf(plan) == better);
  CHECK(std::string(told) == before); // it lives on
  CHECK(waitsIn(fakeCallsOf([&] { multiplySome(plan, 2); })) == 0);
  CHECK(improvementOf(plan, "state") == "ready");
  CHECK(improvementOf(plan, "before") == before);
  CHECK(reportOf(plan) == better + " runs, after 3 products by " + before);
  CHECK(textsIn(jsonOf(plan), "chosenBy") == std::vector<std::string>{"predicted"});
  CHECK(jsonOf(plan).find(R"("better":{"format")") == std::string::npos);
  CHECK(bytesOf(plan) == bytesOfPlan("csr-vector", options)); // the other plan's memory is free
  CHECK(context.count("3 products now use the better plan '" + better) == 1);
  CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS); // too late to change anything
  CHECK(runs(plan, "csr-vector"));
  destroy(plan);
}

TEST_CASE("a plan changes to the better one when that was compiled and packed") {
  passesStart("child: a plan improves");
}

TEST_CASE("child: the wait for a better plan" * doctest::skip()) {
  for (const bool storesKernels : {true, false}) {
    ImprovingContext other;
    compileScalar(improving(other));
    const std::string pack = std::getenv("SPECMV_CACHE_DIR") + std::string("/0");
    ImprovingContext context(pack.c_str(), storesKernels); // csr-scalar is in the other's cache
    const specmvPlanOptions_t options = improving(context);
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) == SPECMV_STATUS_SUCCESS);
    CHECK(runs(plan, "csr-scalar"));
    std::thread opener([] {
      sleepFor(20000);
      openGate();
    });
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    opener.join();
    CHECK(improvementOf(plan, "state") == "ready");
    CHECK(runs(plan, "csr-vector"));
    CHECK(isReady(plan));
    destroy(plan);
  }
}

TEST_CASE("the wait for a plan waits for the better one, also where no cache keeps its kernels") {
  passesStart("child: the wait for a better plan");
}

TEST_CASE("child: plans that do not improve" * doctest::skip()) {
  using Change = void (*)(specmvPlanOptions_t &);
  const Change changes[] = {
      [](specmvPlanOptions_t &o) { o.improves = 0; },
      [](specmvPlanOptions_t &o) { // its arrays need not be there any more
        o.improves = 0;
        o.rigor = SPECMV_RIGOR_ONLINE;
      },
      [](specmvPlanOptions_t &o) { o.scratchPerStream = 1; },
      [](specmvPlanOptions_t &o) { o.kernels = SPECMV_KERNELS_SPECIALIZED; },
      [](specmvPlanOptions_t &o) { o.rigor = SPECMV_RIGOR_MEASURE; },
      [](specmvPlanOptions_t &o) { o.onlyPacks = 1; },
      [](specmvPlanOptions_t &o) { o.target = SPECMV_TARGET_HOST; },
      [](specmvPlanOptions_t &o) { o.formats = "csr-scalar"; },
      [](specmvPlanOptions_t &o) { o.structSize = offsetof(specmvPlanOptions_t, improves); },
  };
  for (const Change &change : changes) {
    CAPTURE(&change - changes);
    ImprovingContext context;
    specmvPlanOptions_t options = improving(context);
    compileScalar(options);
    change(options);
    if (options.onlyPacks == 0 && options.improves != 0)
      openGate(); // some wait for the compiler
    specmvPlan_t plan = nullptr;
    const specmvStatus_t status = specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options);
    CHECK((status == SPECMV_STATUS_SUCCESS) == (options.onlyPacks == 0));
    if (plan) {
      const std::string text = textOf(plan);
      CHECK(isReady(plan));
      CHECK(improvementOf(plan, "state").empty());
      openGate();
      multiplySome(plan, 1, options.target == SPECMV_TARGET_HOST ? nullptr : kStream);
      CHECK(textOf(plan) == text);
    }
    destroy(plan);
  }
}

TEST_CASE("plans do not improve without being asked, for several streams or on the host") {
  passesStart("child: plans that do not improve");
}

TEST_CASE("child: a plan starts at once and improves" * doctest::skip()) {
  ImprovingContext context;
  specmvPlanOptions_t options = improving(context);
  options.improves = 0; // the start suffices
  options.start = SPECMV_START_NOW;
  const specmvPlan_t plan = improvingPlan(options);
  multiplySome(plan, 1);
  while (!runs(plan, "csr-scalar"))
    sleepFor(1000);
  const std::string between = textOf(plan);
  multiplySome(plan, 2);
  CHECK_FALSE(isReady(plan)); // the arrays are still needed
  CHECK(improvementOf(plan, "state") == "running");
  CHECK(textsIn(jsonOf(plan), "state").back() == "ready"); // the plan itself
  finish(plan);
  CHECK(runs(plan, "csr-vector"));
  CHECK(reportOf(plan) ==
        textOf(plan) + " runs, after 1 product by " + kFirst + " and 2 products by " + between);
  CHECK(bytesOf(plan) == bytesOfPlan("csr-vector", options));
  destroy(plan);
}

TEST_CASE("a plan that starts at once takes what is at hand, and then the best") {
  passesStart("child: a plan starts at once and improves");
}

TEST_CASE("child: an improvement that ends early" * doctest::skip()) {
  for (const bool isAsync : {false, true}) { // the gate is closed: a call that waits would hang
    ImprovingContext context;
    const specmvPlan_t plan = improvingPlan(improving(context));
    multiplySome(plan, 1);
    CHECK((isAsync ? specmvDestroyPlanAsync(plan, kStream) : specmvDestroyPlan(plan)) ==
          SPECMV_STATUS_SUCCESS);
    openGate();
    CHECK(leftOnFakeGpu() == 0);
  }
  using End = void (*)(specmvPlan_t);
  const End ends[] = {
      [](specmvPlan_t plan) { CHECK(specmvPlanCancel(plan) == SPECMV_STATUS_SUCCESS); },
      [](specmvPlan_t plan) {
        CHECK(specmvGetPermutation(plan, nullptr, nullptr) == SPECMV_STATUS_SUCCESS);
      },
      [](specmvPlan_t plan) {
        const specmvFusion_t fusion = cgStep();
        specmvFused_t step = nullptr;
        std::thread opener([] { // the step is compiled too
          sleepFor(20000);
          openGate();
        });
        CHECK(specmvCreateFused(&step, plan, &fusion) == SPECMV_STATUS_SUCCESS);
        opener.join();
        CHECK(specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS);
      },
  };
  for (const End &end : ends) {
    CAPTURE(&end - ends);
    ImprovingContext context;
    const specmvPlan_t plan = improvingPlan(improving(context));
    REQUIRE(improvementOf(plan, "state") == "running");
    end(plan);
    CHECK(improvementOf(plan, "state") == "cancelled");
    finish(plan);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    multiplySome(plan, 2);
    CHECK(runs(plan, "csr-scalar"));
    CHECK(context.count("2 the better plan") == 0);
    destroy(plan);
  }
}

TEST_CASE("an improvement ends with the plan, by a cancel, an order that is told or a fused step") {
  passesStart("child: an improvement that ends early");
}

TEST_CASE("child: an improvement fails" * doctest::skip()) {
  const std::pair<const char *, const char *> failures[] = {
      {"SPECMV_FAKE_NVRTC", "compile"}, {"SPECMV_FAKE_FAILS", "cuMemcpyHtoDAsync_v2"}};
  for (const auto &failure : failures) {
    CAPTURE(std::string(failure.second));
    ImprovingContext context;
    const specmvPlanOptions_t options = improving(context);
    compileScalar(options);
    // The compiler's thread runs already; that of the set-up begins later.
    const bool isCompilers = &failure == failures;
    if (isCompilers)
      setenv(failure.first, failure.second, 1);
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) == SPECMV_STATUS_SUCCESS);
    if (!isCompilers)
      setenv(failure.first, failure.second, 1);
    finish(plan);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    unsetenv(failure.first);
    CHECK(runs(plan, "csr-scalar"));
    CHECK(improvementOf(plan, "state") == "failed");
    const std::string why = improvementOf(plan, "why");
    CHECK_FALSE(why.empty());
    CHECK(startsWith(reportOf(plan), textOf(plan) + " runs; the better plan '" +
                                         improvementOf(plan, "plan") + "' is not taken: "));
    multiplySome(plan, 3);
    CHECK(context.count("2 the better plan '") == 1);
    destroy(plan);
  }
}

TEST_CASE("an improvement that fails leaves the plan as it is, and tells why once") {
  passesStart("child: an improvement fails");
}

TEST_CASE("child: an improvement within a limit of bytes" * doctest::skip()) {
  openGate();
  ImprovingContext first;
  const int64_t both =
      bytesOfPlan("csr-scalar", improving(first)) + bytesOfPlan("csr-vector", improving(first));
  CHECK(leftOnFakeGpu() == 0); // no kernel is loaded
  for (const bool isEnough : {true, false}) {
    ImprovingContext context;
    specmvPlanOptions_t options = improving(context);
    options.maxBytes = both - (isEnough ? 0 : 1);
    const specmvPlan_t plan = improvingPlan(options);
    REQUIRE(runs(plan, "csr-scalar"));
    CHECK(isReady(plan) != isEnough);
    finish(plan);
    CHECK(runs(plan, isEnough ? "csr-vector" : "csr-scalar"));
    CHECK((improvementOf(plan, "why").find("more than the limit, maxBytes = ") !=
           std::string::npos) != isEnough);
    destroy(plan);
  }
}

TEST_CASE("both plans stay within the limit of bytes together") {
  passesStart("child: an improvement within a limit of bytes");
}

TEST_CASE("child: a fork beside an improvement" * doctest::skip()) {
  ImprovingContext context;
  const specmvPlan_t plan = improvingPlan(improving(context));
  const pid_t child = fork();
  if (child == 0) { // which has neither the compiler's thread nor the GPU
    const bool isRight =
        specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS && isReady(plan) &&
        improvementOf(plan, "why") == "it is made in the process that this one was forked from" &&
        runs(plan, "csr-scalar");
    _exit(isRight ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  finish(plan);
  CHECK(runs(plan, "csr-vector"));
  destroy(plan);
}

// A sanitizer has its own locks, which a thread may hold while the process forks.
TEST_CASE("a forked child waits for no improvement of its parent" * doctest::skip(kSanitized)) {
  passesStart("child: a fork beside an improvement");
}

TEST_CASE("child: the process ends beside an improvement" * doctest::skip()) {
  static ImprovingContext context; // the plan is never destroyed
  specmvPlanOptions_t options = improving(context);
  compileScalar(options);
  openGate();
  if (std::getenv("SPECMV_TEST_NOW"))
    options.start = SPECMV_START_NOW;
  specmvPlan_t plan = nullptr;
  REQUIRE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) == SPECMV_STATUS_SUCCESS);
  const int delay = std::atoi(std::getenv("SPECMV_TEST_DELAY"));
  for (int i = 0; i < 4; ++i) {
    multiplySome(plan, 1); // which begins what can begin
    sleepFor(delay);
  }
  std::exit(0);
}

TEST_CASE("a process may end while a plan improves") {
  for (int i = 0; i < 12; ++i) {
    Variables slow{{"SPECMV_FAKE_NVRTC_US", "2000"},
                   {"SPECMV_TEST_DELAY", std::to_string(i / 2 * 300)}};
    if (i % 2 == 0)
      slow.emplace_back("SPECMV_TEST_NOW", "");
    // A thread that is still working is not a leak.
    slow.emplace_back("ASAN_OPTIONS", "detect_leaks=0:intercept_tls_get_addr=0");
    passesStart("child: the process ends beside an improvement", slow);
  }
}
