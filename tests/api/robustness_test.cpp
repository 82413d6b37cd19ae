// Tests the C API when memory runs out and when many threads call at once.
#include "tests/api/api_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/sanitized.h"

#include <array>
#include <atomic>
#include <map>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace apitest;

namespace {

OwnCache ownCache("specmv-api");

size_t addressSpace() {
  size_t pages = 0;
  if (FILE *file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%zu", &pages) != 1)
      pages = 0;
    fclose(file);
  }
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Returns statusInChild() for a child that may take only `extra` more bytes.
int statusWithin(size_t extra, const Csr<int32_t, double> &a) {
  return statusInChild(a, [&] {
    const rlimit limit{addressSpace() + extra, addressSpace() + extra};
    setrlimit(RLIMIT_AS, &limit);
  });
}

// The work of one thread: its own matrix, several plans and products, and its own failures.
void work(int id, std::atomic<int> &wrong) {
  const auto a = randomCsr<int32_t, double>(2000 + 10 * id, 1500, 4, id + 1);
  const std::vector<double> x = integers<double>(a.cols, id), before = integers<double>(a.rows, 9);
  const std::vector<double> expected = naiveProduct(a, 2.0, x, 1.0, before);
  const double alpha = 2, beta = 1;
  const specmvPlanOptions_t options = compilingHostOptions();
  for (int round = 0; round < 3; ++round) {
    specmvMatrix_t m = nullptr;
    specmvPlan_t plan = nullptr;
    wrong += create(&m, a) != SPECMV_STATUS_SUCCESS;
    wrong += specmvCreatePlan(&plan, m, &options) != SPECMV_STATUS_SUCCESS;
    for (int product = 0; product < 20; ++product) {
      std::vector<double> y = before;
      wrong +=
          specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) != SPECMV_STATUS_SUCCESS;
      wrong += y != expected;
    }
    specmvMatrix_t none = nullptr;
    wrong += specmvCreateCsr(&none, -1 - id, 1, 0, x.data(), nullptr, nullptr, SPECMV_INDEX_32I,
                             SPECMV_R_32F) != SPECMV_STATUS_INVALID_VALUE;
    wrong += !detailHas(std::to_string(-1 - id));
    wrong += specmvDestroyPlan(plan) != SPECMV_STATUS_SUCCESS;
    wrong += specmvDestroyMatrix(m) != SPECMV_STATUS_SUCCESS;
  }
}

} // namespace

TEST_CASE("child: memory runs out" * doctest::skip()) {
  const auto a = randomCsr<int32_t, double>(200000, 200000, 5); // about 25 MB
  std::map<int, int> counts;
  for (size_t megabytes : {0, 1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 4096}) {
    const int status = statusWithin(megabytes << 20, a);
    CAPTURE(megabytes);
    CAPTURE(status);
    const bool expected = status == SPECMV_STATUS_SUCCESS || status == SPECMV_STATUS_OUT_OF_MEMORY;
    CHECK(expected);
    ++counts[status];
  }
  CHECK(counts[SPECMV_STATUS_OUT_OF_MEMORY] > 0);
  CHECK(counts[SPECMV_STATUS_SUCCESS] > 0);
}

// Runs alone, since memory that other tests have freed would be enough for a plan.
TEST_CASE("where memory runs out the status says so and the program lives") {
  if (kSanitized) {
    MESSAGE("skipped: the sanitizer takes the addresses for itself");
    return;
  }
  const ScratchDirectory scratch("specmv-api");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone("child: memory runs out", {}, output);
  CHECK_MESSAGE(status == 0, readFile(output));
}

TEST_CASE("eight threads with handles of their own do not disturb one another") {
  std::atomic<int> wrong = 0;
  std::array<std::thread, 8> threads;
  for (int id = 0; id < 8; ++id)
    threads[static_cast<size_t>(id)] = std::thread(work, id, std::ref(wrong));
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a plan may be used by one thread after another") {
  const auto a = randomCsr<int32_t, double>(5000, 5000, 8);
  const std::vector<double> x = integers<double>(a.cols, 1), before(a.rows, 1.0);
  const Plan plan(a);
  for (int turn = 0; turn < 4; ++turn) {
    std::vector<double> y = before;
    std::thread([&] {
      const double one = 1;
      specmvExecute(plan, &one, x.data(), &one, y.data(), nullptr);
    }).join();
    CHECK(y == naiveProduct(a, 1.0, x, 1.0, before));
  }
}
