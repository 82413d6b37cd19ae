// Plans on a GPU whose memory comes from the program's allocator: products are right, and all of it
// goes back.
#include "tests/api/api_testing.h"
#include "tests/gpu/gpu.h"

#include <map>

using namespace specmv;

namespace {

// The driver's memory, by way of a GpuDevice of the test's own.
struct OfTest {
  std::shared_ptr<const GpuDevice> gpu = gpuMachine().gpu;
  std::map<void *, DeviceBuffer> live;

  static void *allocate(void *user, size_t bytes, void *stream) {
    auto &self = *static_cast<OfTest *>(user);
    DeviceBuffer made = llvm::cantFail(self.gpu->allocate(bytes, stream));
    auto *at = reinterpret_cast<void *>(made.pointer());
    self.live[at] = std::move(made);
    return at;
  }
  static void deallocate(void *user, void *pointer, size_t bytes, void *stream) {
    auto &self = *static_cast<OfTest *>(user);
    CHECK(self.live.at(pointer).bytes() == bytes);
    self.live.at(pointer).freeOn(stream);
    self.live.erase(pointer);
  }
};

} // namespace

TEST_CASE("products in memory of the program's allocator are right") {
  const auto a = apitest::randomCsr<int32_t, double>(3000, 2000, 9);
  const std::vector<double> x = apitest::integers<double>(a.cols, 3),
                            before = apitest::integers<double>(a.rows, 4);
  for (const char *format : {"ell", "csr-vector", "sell", "hcghyb", "cusparse-csr"}) {
    CAPTURE(format);
    OfTest memory;
    specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
    settings.allocate = OfTest::allocate;
    settings.deallocate = OfTest::deallocate;
    settings.allocatorUser = &memory;
    specmvContext_t context = nullptr;
    REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
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
    CHECK(memory.live.empty());
    specmvDestroyContext(context);
  }
}
