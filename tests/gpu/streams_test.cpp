// Tests products of one plan on several streams of a GPU at the same time, launched by several
// threads.
#include "tests/gpu/stream_products.h"

#include <atomic>
#include <thread>

using namespace specmv;

TEST_CASE("products of one plan on several streams do not meet") {
  const auto gpu = gpuMachine().gpu;
  const auto a = apitest::randomCsr<int32_t, double>(100000, 100000, 9);
  for (const char *format : {"csr-vector", "hcghyb", "cusparse-csr", "cusparse-csr2"}) {
    CAPTURE(format);
    specmvPlanOptions_t options = apitest::gpuOptions(format, false);
    options.scratchPerStream = 1;
    const apitest::Plan plan(a, options);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < 4; ++i)
      threads.emplace_back([&, i] { right += areRight(*gpu, plan, a, 100 * i); });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(right == 4);
  }
}
