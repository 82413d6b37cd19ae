// Tests plans on a GPU that are destroyed while their products run: the products must still be
// right, and later work may reuse their memory.
#include "runtime/cuda/overlap.h"
#include "tests/api/api_testing.h"
#include "tests/gpu/gpu.h"

using namespace specmv;

TEST_CASE("a plan may be destroyed on the stream of its products before they are over") {
  const auto gpu = gpuMachine().gpu;
  const auto a = apitest::randomCsr<int32_t, double>(200000, 200000, 9);
  const std::vector<double> x = apitest::integers<double>(a.cols, 3);
  const std::vector<double> want =
      apitest::naiveProduct(a, 1.0, x, 0.0, std::vector<double>(200000));
  const DeviceBuffer dx = llvm::cantFail(gpu->uploaded(x.data(), x.size() * sizeof(double)));
  const DeviceBuffer dy = llvm::cantFail(gpu->allocate(want.size() * sizeof(double)));
  for (const char *format : {"ell", "csr-vector", "hcghyb", "cusparse-csr"}) {
    CAPTURE(format);
    auto stream = llvm::cantFail(makeStream(*gpu));
    const apitest::Matrix matrix(a);
    const specmvPlanOptions_t options = apitest::gpuOptions(format, false);
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_SUCCESS);
    const double one = 1, zero = 0;
    for (int i = 0; i < 50; ++i)
      REQUIRE(specmvExecute(plan, &one, reinterpret_cast<void *>(dx.pointer()), &zero,
                            reinterpret_cast<void *>(dy.pointer()),
                            stream.get()) == SPECMV_STATUS_SUCCESS);
    REQUIRE(specmvDestroyPlanAsync(plan, stream.get()) == SPECMV_STATUS_SUCCESS);
    // This allocation may get the freed memory, and overwrites it.
    DeviceBuffer spoiled = llvm::cantFail(gpu->allocate(size_t{32} << 20, stream.get()));
    llvm::cantFail(gpu->fill(spoiled.pointer(), 0xff, spoiled.bytes(), stream.get()));
    spoiled.freeOn(stream.get());
    llvm::cantFail(gpu->synchronize(stream.get()));
    std::vector<double> y(want.size());
    llvm::cantFail(gpu->download(y.data(), dy.pointer(), dy.bytes()));
    CHECK(y == want);
  }
}
