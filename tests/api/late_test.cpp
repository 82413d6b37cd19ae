// Calls while the process ends: of a handler of exit() that was registered before the first call,
// and of a thread that goes on.
#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace apitest;

namespace {

// The matrix is never destroyed, since late calls use it.
const Csr<int32_t, double> &lateMatrix() {
  static const auto &a = *new Csr<int32_t, double>(randomCsr<int32_t, double>(50, 40, 5));
  return a;
}

bool isLateProductRight(const specmvPlanOptions_t &options) {
  const auto &a = lateMatrix();
  const std::vector<double> x = integers<double>(a.cols, 3);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double one = 1, zero = 0;
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  const char *json = nullptr;
  const bool isMade =
      create(&matrix, a) == SPECMV_STATUS_SUCCESS &&
      specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_SUCCESS &&
      specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS &&
      specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS;
  specmvDestroyPlan(plan);
  specmvDestroyMatrix(matrix);
  return isMade && y == naiveProduct(a, one, x, zero, y);
}

bool areLateProductsRight() {
  specmvPlanOptions_t now = hostOptions();
  now.start = SPECMV_START_NOW;
  return isLateProductRight(hostOptions()) && isLateProductRight(now) &&
         isLateProductRight(gpuOptions("cusparse-csr", false));
}

void tellLateProducts() {
  std::puts(areLateProductsRight() ? "late products are right" : "a late product is wrong");
  std::fflush(stdout);
}

} // namespace

TEST_CASE("child: calls while the process ends" * doctest::skip()) {
  std::atexit(tellLateProducts);
  CHECK(areLateProductsRight());
  static std::atomic<bool> isBusy{false};
  std::thread([] {
    for (;;)
      isBusy = isLateProductRight(hostOptions());
  }).detach();
  while (!isBusy)
    std::this_thread::yield();
  std::exit(0);
}

// A bug once: they used statics that had been destroyed.
TEST_CASE("products are right while the process ends, in its handlers and on other threads") {
  for (int round = 0; round < 5; ++round) {
    const ScratchDirectory scratch("specmv-late");
    const std::string output = scratch.path() + "/output";
    const int status = runAlone("child: calls while the process ends",
                                {{"LD_LIBRARY_PATH", SPECMV_FAKE_CUDA},
                                 {"SPECMV_FAKE_GPU", "1"},
                                 {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                                 {"SPECMV_FAKE_CUSPARSE", "1"},
                                 {"SPECMV_CACHE_PATH", ""},
                                 {"SPECMV_CACHE_DIR", scratch.path()}},
                                output);
    CHECK_MESSAGE(status == 0, readFile(output));
    CHECK(readFile(output).find("late products are right") != std::string::npos);
  }
}
