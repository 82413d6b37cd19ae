// Tests plans on a GPU whose memory comes from the program's allocator: products are right, and all
// memory is returned.
#include "tests/api/api_testing.h"
#include "tests/gpu/failing_memory.h"

using namespace specmv;

TEST_CASE("products in memory of the program's allocator are right") {
  const auto a = apitest::randomCsr<int32_t, double>(3000, 2000, 9);
  const std::vector<double> x = apitest::integers<double>(a.cols, 3),
                            before = apitest::integers<double>(a.rows, 4);
  for (const char *format : {"ell", "csr-vector", "sell", "hcghyb", "cusparse-csr"}) {
    CAPTURE(format);
    FailingMemory memory;
    specmvContext_t context = memory.context();
    REQUIRE(context);
    specmvPlanOptions_t options = apitest::gpuOptions(format, true);
    options.context = context;
    {
      const apitest::Plan plan(a, options);
      CHECK_FALSE(memory.live.empty());
      std::vector<double> y = before;
      const double alpha = 2, beta = -1;
      REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) ==
              SPECMV_STATUS_SUCCESS);
      CHECK(y == apitest::naiveProduct(a, 2.0, x, -1.0, before));
    }
    CHECK(memory.isClean());
    specmvDestroyContext(context);
  }
}
