// Tests threads that are cancelled inside the library: a call runs to its end, and the cancellation
// takes effect after it.
#include "tests/api/api_testing.h"

#include <pthread.h>

using namespace apitest;

namespace {

struct Calls {
  Csr<int32_t, double> a = randomCsr<int32_t, double>(3000, 2000, 7);
  specmvStart_t start = SPECMV_START_WAIT;
  bool areRight = false;
};

// Makes a plan, multiplies, and destroys all, with calls that open files, wait for threads and
// sleep, at each of which a cancelled thread would end.
bool useLibrary(const Calls &calls) {
  const auto &a = calls.a;
  const std::vector<double> x = integers<double>(a.cols, 5);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double alpha = 2, beta = 0;
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = compilingHostOptions();
  options.start = calls.start;
  int ready = 0;
  return create(&matrix, a) == SPECMV_STATUS_SUCCESS &&
         specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_SUCCESS &&
         specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) == SPECMV_STATUS_SUCCESS &&
         specmvPlanWaitFor(plan, 1, &ready) == SPECMV_STATUS_SUCCESS &&
         specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS &&
         specmvAddPack("/nowhere/no.pack") == SPECMV_STATUS_MISSING &&
         specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS &&
         specmvDestroyMatrix(matrix) == SPECMV_STATUS_SUCCESS &&
         y == naiveProduct(a, alpha, x, beta, y);
}

void *cancelledFromTheStart(void *argument) {
  Calls &calls = *static_cast<Calls *>(argument);
  pthread_cancel(pthread_self());
  calls.areRight = useLibrary(calls);
  pthread_testcancel();
  return nullptr;
}

void *withoutCancellation(void *argument) {
  int state = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  (void)specmvDestroyMatrix(nullptr);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  *static_cast<int *>(argument) = state;
  return nullptr;
}

} // namespace

TEST_CASE("a cancelled thread finishes its calls of the library, and ends behind them") {
  for (const specmvStart_t start : {SPECMV_START_WAIT, SPECMV_START_NOW}) {
    Calls calls;
    calls.start = start;
    pthread_t thread;
    void *result = nullptr;
    REQUIRE(pthread_create(&thread, nullptr, cancelledFromTheStart, &calls) == 0);
    REQUIRE(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(calls.areRight);
  }
}

TEST_CASE("a thread that allows no cancellation allows none after a call") {
  pthread_t thread;
  int state = PTHREAD_CANCEL_ENABLE;
  REQUIRE(pthread_create(&thread, nullptr, withoutCancellation, &state) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  CHECK(state == PTHREAD_CANCEL_DISABLE);
}
