// Tests each call of the C API that makes or uses an object while one allocation fails, in a
// process that has made a plan before: the status reports it, no handle is made, allocated memory
// is freed, and the next call works. SPECMV_MEMORY_CAMPAIGN=1 makes every allocation fail instead
// of a sample.
#include "tests/memory/fail_malloc.h"
#include "tests/memory/held_by_llvm.h"

#include "tests/api/layouts_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr int64_t kRows = 12, kCols = 9, kVectors = 3;

// Holds all memory that a call needs, allocated before anything fails.
struct Given {
  std::string name;
  InLayout matrix;
  specmvMatrixDescription_t description{};
  specmvPlanOptions_t options{};
  std::vector<double> x, newValues, expected, expectedNew;
  mutable std::vector<double> y;
  std::string cache;

  explicit Given(InLayout layout, bool isTransposed = false)
      : name(layout.name + (isTransposed ? " transposed" : "")), matrix(std::move(layout)) {
    description = apiDescription(matrix.described());
    options.structSize = sizeof options;
    options.target = SPECMV_TARGET_HOST;
    options.compileOnHost = options.updatable = 1;
    options.operation = isTransposed ? SPECMV_OPERATION_TRANSPOSE : SPECMV_OPERATION_NON_TRANSPOSE;
    for (int64_t i = 0; i < std::max(kRows, kCols); ++i)
      x.push_back(static_cast<double>(i % 7 - 3));
    x.resize(static_cast<size_t>(isTransposed ? kRows : kCols));
    newValues = matrix.values;
    std::reverse(newValues.begin(), newValues.end());
    expected = productOf(matrix.entries, matrix.values, kRows, kCols, isTransposed, x);
    expectedNew = productOf(matrix.entries, newValues, kRows, kCols, isTransposed, x);
    y.resize(expected.size());
  }
  Given(const Given &) = delete;
  Given &operator=(const Given &) = delete;
};

// The results of calls: the first failure, and the first broken promise.
struct Calls {
  specmvStatus_t status = SPECMV_STATUS_SUCCESS;
  const char *wrong = nullptr;
  specmvContext_t context = nullptr;
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr, second = nullptr;

  Calls() = default;
  Calls(const Calls &) = delete;
  Calls &operator=(const Calls &) = delete;
  ~Calls() {
    specmvDestroyPlan(second);
    specmvDestroyPlan(plan);
    specmvDestroyMatrix(matrix);
    specmvDestroyContext(context);
  }
  bool goOn(specmvStatus_t now) {
    status = now;
    if (now != SPECMV_STATUS_SUCCESS && *specmvGetLastErrorDetail() == 0)
      wrong = "a failure without a sentence";
    return now == SPECMV_STATUS_SUCCESS;
  }
  // Calls f with the address of an invalid handle.
  template <class Handle, class F> bool make(Handle &handle, const F &f) {
    handle = reinterpret_cast<Handle>(this);
    const bool isMade = goOn(f(&handle));
    if (isMade == (handle == nullptr))
      wrong = "a handle of a call that failed, or none";
    return isMade;
  }
  bool expect(bool holds, const char *what) {
    if (!holds)
      wrong = what;
    return holds;
  }
};

bool makeMatrix(Calls &calls, const Given &a) {
  return calls.make(calls.matrix, [&](specmvMatrix_t *matrix) {
    return specmvCreateMatrix(matrix, &a.description);
  });
}

bool makePlan(Calls &calls, const Given &a, specmvPlan_t &plan,
              const specmvPlanOptions_t &options) {
  return makeMatrix(calls, a) && calls.make(plan, [&](specmvPlan_t *made) {
    return specmvCreatePlan(made, calls.matrix, &options);
  });
}

bool multiply(Calls &calls, specmvPlan_t plan, const Given &a,
              const std::vector<double> &expected) {
  const double alpha = 1, beta = 0;
  return calls.goOn(specmvExecute(plan, &alpha, a.x.data(), &beta, a.y.data(), nullptr)) &&
         calls.expect(a.y == expected, "a wrong product");
}

bool askForJson(Calls &calls) {
  const char *json = nullptr;
  return calls.goOn(specmvGetPlanJson(calls.plan, &json)) &&
         calls.expect(json[0] == '{', "no JSON");
}

// --- The scenes ----------------------------------------------------------------------------------

void productAndUpdate(Calls &calls, const Given &a) {
  (void)(makePlan(calls, a, calls.plan, a.options) && multiply(calls, calls.plan, a, a.expected) &&
         calls.goOn(specmvUpdateValues(calls.plan, a.newValues.data(), nullptr)) &&
         multiply(calls, calls.plan, a, a.expectedNew) && askForJson(calls));
}

void estimate(Calls &calls, const Given &a) {
  specmvPlanEstimate_t found = SPECMV_PLAN_ESTIMATE_INIT;
  (void)(makeMatrix(calls, a) && calls.goOn(specmvEstimatePlan(&found, calls.matrix, &a.options)) &&
         calls.expect(found.bytes > 0, "an estimate of no bytes"));
}

// A log function whose user data counts the messages.
void countSentence(void *user, specmvLogLevel_t, const char *sentence) {
  *static_cast<int *>(user) += *sentence != 0;
}

void contextWithLog(Calls &calls, const Given &a) {
  int sentences = 0;
  specmvContextOptions_t of = SPECMV_CONTEXT_OPTIONS_INIT;
  of.log = countSentence, of.logUser = &sentences, of.logLevel = SPECMV_LOG_DEBUG;
  of.threads = 2, of.cacheDirectory = a.cache.c_str(), of.packs = "";
  if (!calls.make(calls.context, [&](auto *made) { return specmvCreateContext(made, &of); }))
    return;
  specmvPlanOptions_t options = a.options;
  options.context = calls.context;
  (void)(makePlan(calls, a, calls.plan, options) && multiply(calls, calls.plan, a, a.expected) &&
         askForJson(calls));
  // If the plan failed too, the log may have had no memory for its message.
  calls.expect(sentences > 0 || calls.status != SPECMV_STATUS_SUCCESS || allocationsAsked() > 0,
               "a log without a sentence");
}

void severalVectors(Calls &calls, const Given &a) {
  specmvPlanOptions_t options = a.options;
  options.vectors = kVectors;
  if (!makePlan(calls, a, calls.plan, options))
    return;
  // X has one vector three times, in row order with a gap of one.
  double x[kCols * (kVectors + 1)], y[kRows * (kVectors + 1)];
  for (size_t i = 0; i < kCols * (kVectors + 1); ++i)
    x[i] = a.x[i / (kVectors + 1)];
  const double alpha = 1, beta = 0;
  if (!calls.goOn(specmvExecuteMulti(calls.plan, kVectors, &alpha, x, kVectors + 1, &beta, y,
                                     kVectors + 1, SPECMV_ORDER_ROW, nullptr)))
    return;
  for (size_t i = 0; i < kRows * (kVectors + 1); ++i)
    calls.expect(i % (kVectors + 1) == kVectors || y[i] == a.expected[i / (kVectors + 1)],
                 "a wrong product of several vectors");
}

void structureOfAnother(Calls &calls, const Given &a) {
  if (!makePlan(calls, a, calls.plan, a.options))
    return;
  specmvDestroyMatrix(calls.matrix);
  specmvPlanOptions_t options = a.options;
  options.structureOf = calls.plan;
  (void)(makePlan(calls, a, calls.second, options) && multiply(calls, calls.second, a, a.expected));
}

// --- The campaign --------------------------------------------------------------------------------

struct Trial {
  bool reached; // whether there was such an allocation
  specmvStatus_t status;
  const char *wrong;
  long kept; // allocations that were not freed
};

using Scene = void(Calls &, const Given &);

Trial failOne(Scene *scene, const Given &a, long number) {
  Trial trial{};
  const long before = allocationsLive();
  {
    Calls calls;
    failAllocations(number, number > 0); // none fails where there is no number
    scene(calls, a);
    trial = {allocationsAsked() >= number, calls.status, calls.wrong, 0};
    failAllocations(0, 0);
  }
  trial.kept = allocationsLive() - before;
  return trial;
}

// Memory that is kept once per process is not a leak; memory that is kept every time is.
bool leaks(Scene *scene, const Given &a, long number) {
  for (int i = 0; i < 3; ++i)
    if (failOne(scene, a, number).kept <= kHeldByLlvm)
      return false;
  return true;
}

void checkTrial(Scene *scene, const Given &a, const Trial &trial, long number) {
  const bool isTold =
      trial.status == SPECMV_STATUS_SUCCESS || trial.status == SPECMV_STATUS_OUT_OF_MEMORY;
  CHECK_MESSAGE(isTold, "allocation " << number << ": status " << trial.status << " "
                                      << specmvGetLastErrorDetail());
  CHECK_MESSAGE(!trial.wrong, "allocation " << number << ": " << trial.wrong);
  const bool isFreed = trial.kept <= kHeldByLlvm || !leaks(scene, a, number);
  CHECK_MESSAGE(isFreed, "allocation " << number << ": " << trial.kept << " are not freed");
  const Trial next = failOne(scene, a, 0);
  const bool works = next.status == SPECMV_STATUS_SUCCESS && !next.wrong;
  CHECK_MESSAGE(works, "after allocation " << number << ": status " << next.status);
}

void runScene(const std::string &name, Scene *scene, const Given &a) {
  CAPTURE(name);
  CAPTURE(a.name);
  const long step = std::getenv("SPECMV_MEMORY_CAMPAIGN") ? 1 : 37;
  long trials = 0, told = 0;
  REQUIRE(failOne(scene, a, 0).status == SPECMV_STATUS_SUCCESS); // what the process keeps
  for (long number = 1;; number += step, ++trials) {
    const Trial trial = failOne(scene, a, number);
    if (!trial.reached)
      break;
    told += trial.status == SPECMV_STATUS_OUT_OF_MEMORY;
    checkTrial(scene, a, trial, number);
  }
  MESSAGE(name << " of " << a.name << ": " << trials << " trials, " << told << " of them failed");
  CHECK(told > 0);
}

InLayout layoutOf(MatrixLayout layout) {
  return inLayout(layout, kRows, kCols, randomEntries(kRows, kCols, 30, 1), 1, IndexType::i32,
                  IndexType::i64, layout == MatrixLayout::bsr ? 2 : 1,
                  layout == MatrixLayout::bsr ? 3 : 1);
}

} // namespace

TEST_CASE("child: each call with an allocation that fails" * doctest::skip()) {
  for (const MatrixLayout layout :
       {MatrixLayout::csr, MatrixLayout::csc, MatrixLayout::coo, MatrixLayout::bsr})
    for (const bool isTransposed : {false, true})
      runScene("product and update", productAndUpdate, Given(layoutOf(layout), isTransposed));
  Given a(layoutOf(MatrixLayout::csc));
  a.cache = std::getenv("SPECMV_CACHE_DIR");
  runScene("estimate", estimate, a);
  runScene("context with a log", contextWithLog, a);
  runScene("several vectors", severalVectors, a);
  runScene("structure of another", structureOfAnother, a);
}

TEST_CASE("a call whose allocation fails says so, frees what it had and works again") {
  const ScratchDirectory scratch("specmv-memory");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone("child: each call with an allocation that fails",
                              {{"LD_LIBRARY_PATH", SPECMV_FAKE_CUDA},
                               {"SPECMV_FAKE_CUINIT", "100"}, // no device
                               {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                               {"SPECMV_STANDARD_PACK", ""},
                               {"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                               {"SPECMV_CACHE_PATH", ""}},
                              output);
  if (std::getenv("SPECMV_MEMORY_CAMPAIGN"))
    MESSAGE(readFile(output)); // how many trials there were
  CHECK_MESSAGE(status == 0, readFile(output));
}
