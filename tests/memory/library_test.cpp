// Tests the C API when one allocation, or all from some point on, fails: it returns a status, and
// works again when there is memory. All opened libraries are fakes, so that only specmv can fail.
#include "tests/memory/fail_malloc.h"

#include "tests/api/api_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace apitest;

namespace {

// Plans make about 11,000 allocations, most of them for the GPU's model. After the first 700, only
// every 41st is the first to fail, to save time.
constexpr long kEach = 700, kSparse = 41, kEndless = 100000;
constexpr long kAll = 1L << 60;

enum Ending { fine, wrongStatus, noDetail, wrongProduct, neverWorksAgain, noFailure = 10 };

// A plan and one of its products, with vectors allocated before anything fails.
class Subject {
public:
  explicit Subject(int64_t rows)
      : a_(randomCsr<int32_t, double>(rows, kCols, 3)), before_(static_cast<size_t>(rows), 1.0) {}

  void startNow() { options_.start = SPECMV_START_NOW; }

  // Returns the worst status of all calls.
  specmvStatus_t multiply() {
    specmvMatrix_t matrix = nullptr;
    specmvPlan_t plan = nullptr;
    std::copy(before_.begin(), before_.end(), y_.begin());
    specmvStatus_t status = create(&matrix, a_);
    if (status == SPECMV_STATUS_SUCCESS)
      status = specmvCreatePlan(&plan, matrix, &options_);
    if (status == SPECMV_STATUS_SUCCESS)
      status = specmvExecute(plan, &alpha_, x_.data(), &beta_, y_.data(), nullptr);
    if (status == SPECMV_STATUS_SUCCESS)
      status = specmvPlanWait(plan);
    specmvDestroyPlan(plan);
    specmvDestroyMatrix(matrix);
    return status;
  }
  bool isRight() const { return y_ == expected_; }

private:
  static constexpr int64_t kCols = 30;
  const Csr<int32_t, double> a_;
  const std::vector<double> before_;
  const double alpha_ = 2, beta_ = -1;
  const std::vector<double> x_ = integers<double>(kCols, 5);
  const std::vector<double> expected_ = naiveProduct(a_, alpha_, x_, beta_, before_);
  specmvPlanOptions_t options_ = compilingHostOptions();
  std::vector<double> y_ = before_;
};

// The status is NO_NVRTC if the loader finds no memory for the library, MISSING if NVRTC itself
// finds none.
bool mayBe(specmvStatus_t status) {
  return status == SPECMV_STATUS_SUCCESS || status == SPECMV_STATUS_OUT_OF_MEMORY ||
         status == SPECMV_STATUS_NO_NVRTC || status == SPECMV_STATUS_MISSING;
}

// Runs in its own process: a product while these allocations fail, and one with all memory.
Ending endingOf(Subject &subject, long first, long count) {
  failAllocations(first, count);
  const specmvStatus_t status = subject.multiply();
  const bool failed = allocationsAsked() >= first;
  failAllocations(0, 0);
  if (!mayBe(status))
    return wrongStatus;
  if (status != SPECMV_STATUS_SUCCESS && detail().empty())
    return noDetail;
  if (status == SPECMV_STATUS_SUCCESS && !subject.isRight())
    return wrongProduct;
  if (subject.multiply() != SPECMV_STATUS_SUCCESS || !subject.isRight())
    return neverWorksAgain;
  return failed ? fine : noFailure;
}

void keepIn(const std::string &cache) {
  setenv("SPECMV_CACHE_DIR", cache.c_str(), 1);
  setenv("SPECMV_STANDARD_PACK", "", 1);
}

// Returns endingOf() from a child, or minus the signal that ended it.
int endingInChild(Subject &subject, long first, long count, const std::string &cache) {
  const pid_t child = fork();
  if (child == 0) {
    keepIn(cache);
    alarm(600);
    _exit(endingOf(subject, first, count));
  }
  int how = 0;
  waitpid(child, &how, 0);
  return WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
}

struct Campaign {
  long count, step; // how many allocations fail, and how far on they begin the next time
};

// Counts the allocations of a plan and a product in a child.
long allocationsInChild(Subject &subject, const std::string &cache) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    keepIn(cache);
    failAllocations(0, 0);
    const bool isGood = subject.multiply() == SPECMV_STATUS_SUCCESS;
    const long asked = allocationsAsked();
    _exit(isGood && write(ends[1], &asked, sizeof asked) == sizeof asked ? 0 : 1);
  }
  close(ends[1]);
  long asked = 0;
  CHECK(read(ends[0], &asked, sizeof asked) == sizeof asked);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return asked;
}

// Fails allocations in turn until there is none left to fail. Without a cache directory, each time
// has its own.
void run(const Campaign &campaign, Subject &subject, const std::string &warm) {
  for (long first = 1; first < kEndless;) {
    const ScratchDirectory cold("specmv-memory");
    const int ending =
        endingInChild(subject, first, campaign.count, warm.empty() ? cold.path() : warm);
    if (ending == noFailure)
      return;
    CHECK_MESSAGE(ending == fine, "allocation " << first << ": " << ending);
    first += campaign.step * (first < kEach ? 1 : kSparse);
  }
  FAIL("there is no end of allocations");
}

// Runs the campaign without and with a cache that knows the matrix.
void runColdAndWarm(const Campaign &campaign, Subject &subject) {
  CAPTURE(campaign.count);
  run(campaign, subject, "");
  const ScratchDirectory cache("specmv-memory");
  const long cold = allocationsInChild(subject, cache.path());
  const long warm = allocationsInChild(subject, cache.path());
  run(campaign, subject, cache.path());
  MESSAGE("allocations of a cold plan: " << cold << ", of a warm one: " << warm);
  CHECK(cold > warm);
  CHECK(warm > 100);
}

} // namespace

TEST_CASE("child: no allocation that fails ends the process" * doctest::skip()) {
  Subject small(40);
  runColdAndWarm({.count = 1, .step = 1}, small);
  runColdAndWarm({.count = kAll, .step = 5}, small);
  Subject large(40000); // for several threads
  runColdAndWarm({.count = kAll, .step = 17}, large);
}

// A former bug: registering the destructor of a thread-local object did not check for memory.
TEST_CASE("child: no memory for a set-up beside products" * doctest::skip()) {
  Subject small(40);
  const ScratchDirectory cache("specmv-memory");
  keepIn(cache.path());
  REQUIRE(small.multiply() == SPECMV_STATUS_SUCCESS); // what is loaded once for all
  small.startNow();
  for (const long count : {1L, kAll})
    run({.count = count, .step = 1}, small, cache.path());
}

TEST_CASE("no memory for a set-up beside products does not end the process") {
  const ScratchDirectory scratch("specmv-memory");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone("child: no memory for a set-up beside products",
                              {{"LD_LIBRARY_PATH", SPECMV_FAKE_CUDA},
                               {"SPECMV_FAKE_CUINIT", "100"}, // no device
                               {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"SPECMV_CACHE_PATH", ""}},
                              output);
  CHECK_MESSAGE(status == 0, readFile(output));
}

TEST_CASE("no allocation that fails in the library ends the process") {
  const ScratchDirectory scratch("specmv-memory");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone("child: no allocation that fails ends the process",
                              {{"LD_LIBRARY_PATH", SPECMV_FAKE_CUDA},
                               {"SPECMV_FAKE_CUINIT", "100"}, // no device
                               {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"SPECMV_CACHE_PATH", ""}},
                              output);
  INFO(readFile(output));
  CHECK(status == 0);
}
