// Tests plans of many processes in one empty cache, some of which are killed or see system calls
// fail: every product must be right, and few processes compile. The compiler is the tests' own.
#include "tests/faults/campaign.h"

#include "tests/api/api_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/scratch_directory.h"

#include <cerrno>

using namespace apitest;
using namespace specmv::testing;

namespace {

enum Outcome { wasThere = 0, compiled = 10, wrong = 20 };

// Makes a plan and its product. The cache may fail, which may cost only speed.
Outcome planAndMultiply() {
  const auto a = randomCsr<int32_t, double>(40, 30, 3);
  const std::vector<double> x = integers<double>(a.cols, 5);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double alpha = 2, beta = 0;
  const specmvPlanOptions_t options = compilingHostOptions();
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  const char *json = nullptr;
  const bool isGood =
      create(&matrix, a) == SPECMV_STATUS_SUCCESS &&
      specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_SUCCESS &&
      specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) == SPECMV_STATUS_SUCCESS &&
      specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS &&
      y == naiveProduct(a, alpha, x, beta, y);
  const bool isNew = isGood && std::string(json).find("\"compiled\":true") != std::string::npos;
  specmvDestroyPlan(plan);
  specmvDestroyMatrix(matrix);
  return !isGood ? wrong : isNew ? compiled : wasThere;
}

void useCache(const std::string &path) {
  setenv("SPECMV_CACHE_DIR", path.c_str(), 1);
  alarm(600);
}

long temporariesIn(const std::string &cache) {
  long count = 0;
  for (const std::string &file : filesBelow(cache))
    count += file.find(".tmp") != std::string::npos;
  return count;
}

// Counts the system calls of a plan in an empty cache and of its product.
long callsOfPlan() {
  const ScratchDirectory cache("specmv-faults");
  const std::string answer = cache.path() + "/calls";
  CHECK(endOf(startProcess([&] {
          useCache(cache.path() + "/cache");
          failCalls(0, 0, 0);
          const Outcome outcome = planAndMultiply();
          writeFile(answer, std::to_string(callsMade()));
          return outcome;
        })) == compiled);
  return std::stol(readFile(answer));
}

// Calls f with the number of each call, or of a sample of them.
template <class F> void forEachCallOfPlan(long start, const F &f) {
  const long calls = callsOfPlan(), step = isLongCampaign() ? 1 : 11;
  CHECK(calls > 50);
  long trials = 0;
  for (long first = step > 1 ? start % step + 1 : 1; first <= calls; first += step, ++trials) {
    CAPTURE(first);
    f(first);
  }
  if (isLongCampaign())
    MESSAGE(trials << " trials");
}

// Runs in its own process, with a failure from call number `first` on.
int planWithFailure(const std::string &cache, long first, long count, int error) {
  return endOf(startProcess([&] {
    useCache(cache);
    failCalls(first, count, error);
    return planAndMultiply();
  }));
}

bool isRightOutcome(int status) { return status == wasThere || status == compiled; }

void passesAlone(const char *testCase, const char *compilerUs = "1000") {
  const ScratchDirectory scratch("specmv-faults");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone(testCase,
                              {{"LD_LIBRARY_PATH", SPECMV_FAKE_CUDA},
                               {"SPECMV_FAKE_CUINIT", "100"}, // no device
                               {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"SPECMV_FAKE_NVRTC_US", compilerUs},
                               {"SPECMV_STANDARD_PACK", ""},
                               {"SPECMV_CACHE_PATH", ""}},
                              output);
  if (isLongCampaign())
    MESSAGE(readFile(output)); // how many trials there were
  CHECK_MESSAGE(status == 0, readFile(output));
}

} // namespace

TEST_CASE("child: 64 processes make one plan" * doctest::skip()) {
  for (int round = isLongCampaign() ? 100 : 1; round > 0; --round) {
    const ScratchDirectory cache("specmv-faults");
    int gate[2];
    REQUIRE(pipe(gate) == 0);
    std::vector<pid_t> processes;
    processes.reserve(64);
    for (int i = 0; i < 64; ++i)
      processes.push_back(startProcess([&] {
        useCache(cache.path());
        close(gate[1]);
        char none = 0;
        return read(gate[0], &none, 1) == 0 ? planAndMultiply() : wrong; // when all have started
      }));
    close(gate[0]);
    close(gate[1]);
    int compilers = 0;
    for (const pid_t process : processes) {
      const int status = endOf(process);
      CHECK(isRightOutcome(status));
      compilers += status == compiled;
    }
    CHECK(compilers == 1);
    CHECK(temporariesIn(cache.path()) == 0);
  }
}

TEST_CASE("of 64 processes that make one plan in an empty cache one compiles") {
  // This takes so long that all would compile if none waited for the first.
  passesAlone("child: 64 processes make one plan", "400000");
}

TEST_CASE("child: a plan is killed at a call" * doctest::skip()) {
  forEachCallOfPlan(0, [](long first) {
    const ScratchDirectory cache("specmv-faults");
    CHECK(planWithFailure(cache.path(), first, 1, FAIL_CALLS_KILL) == 128);
    CHECK(temporariesIn(cache.path()) <= 1);
    CHECK(isRightOutcome(planWithFailure(cache.path(), 0, 0, 0)));
    CHECK(planWithFailure(cache.path(), 0, 0, 0) == wasThere);
  });
}

TEST_CASE("a process that is killed while it makes a plan does not disturb the next one") {
  passesAlone("child: a plan is killed at a call");
}

TEST_CASE("child: calls fail while a plan is made" * doctest::skip()) {
  for (const int error : {EIO, ENOSPC, EINTR, EACCES})
    for (const long count : {1L, kAllCalls}) {
      CAPTURE(error);
      CAPTURE(count);
      forEachCallOfPlan(error + count % 3, [&](long first) {
        const ScratchDirectory cache("specmv-faults");
        // An interrupted write is tried again, so some attempt must succeed.
        const long failures = error == EINTR && count > 1 ? 3 : count;
        CHECK(isRightOutcome(planWithFailure(cache.path(), first, failures, error)));
        CHECK(isRightOutcome(planWithFailure(cache.path(), 0, 0, 0)));
      });
    }
}

TEST_CASE("a system call that fails while a plan is made costs no product") {
  passesAlone("child: calls fail while a plan is made");
}
