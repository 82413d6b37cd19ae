// Tests the cost of plans on a GPU apart from their kernels: the host's time of a product, and the
// remains of destroyed plans.
#include "generator/setup/curves.h"
#include "models/lab/families/families.h"
#include "runtime/cuda/overlap.h"
#include "runtime/kernels/objects.h"
#include "runtime/measure/stopwatch.h"
#include "specmv.h"
#include "tests/gpu/gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <malloc.h>

using namespace specmv;

namespace {

class MadePlan {
public:
  explicit MadePlan(const CsrMatrix &a) {
    specmvMatrix_t matrix = nullptr;
    specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
    options.target = SPECMV_TARGET_GPU;
    options.vectorsOnGpu = 1;
    REQUIRE(specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), a.rowPtr.data(), a.col.data(),
                            a.val.data(), SPECMV_INDEX_32I, SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
    REQUIRE(specmvCreatePlan(&plan_, matrix, &options) == SPECMV_STATUS_SUCCESS);
    specmvDestroyMatrix(matrix);
  }
  MadePlan(const MadePlan &) = delete;
  MadePlan &operator=(const MadePlan &) = delete;
  ~MadePlan() { specmvDestroyPlan(plan_); }

  void multiply(const DeviceBuffer &x, const DeviceBuffer &y, void *stream) const {
    const double one = 1, zero = 0;
    REQUIRE(specmvExecute(plan_, &one, reinterpret_cast<const void *>(x.pointer()), &zero,
                          reinterpret_cast<void *>(y.pointer()), stream) == SPECMV_STATUS_SUCCESS);
  }

private:
  specmvPlan_t plan_ = nullptr;
};

} // namespace

TEST_CASE("1,000 plans made and destroyed leave no byte on the GPU, and none on the host") {
  const auto gpu = gpuMachine().gpu;
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=40"));
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i)
      const MadePlan plan(a);
  };
  rounds(2000); // until the driver's and the allocator's own memory grows no more
  const int64_t onGpu = gpu->takeMemoryUse().now;
  const size_t onHost = mallinfo2().uordblks;
  rounds(1000);
  CHECK(gpu->takeMemoryUse().now == onGpu);
  const size_t after = mallinfo2().uordblks;
  MESSAGE("bytes on the host: ", onHost, " before, ", after, " after");
  CHECK(after < onHost + 1000);
}

TEST_CASE("a product costs the host little more than a launch") {
  Machine machine = gpuMachine();
  const auto gpu = machine.gpu;
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=40"));
  const MadePlan plan(a);
  const auto stream = llvm::cantFail(makeStream(*gpu));
  const std::vector<double> ones(static_cast<size_t>(a.cols), 1.0);
  const DeviceBuffer x = llvm::cantFail(gpu->uploaded(ones.data(), 8 * ones.size()));
  const DeviceBuffer y = llvm::cantFail(gpu->uploaded(ones.data(), 8 * ones.size()));
  constexpr int kCalls = 200; // fewer than the driver queues before a launch waits
  const auto least = [&](const auto &call) {
    double us = 1e9;
    for (int round = 0; round < 50; ++round) {
      const Stopwatch watch;
      for (int i = 0; i < kCalls; ++i)
        call();
      us = std::min(us, 1000 * watch.milliseconds() / kCalls);
      llvm::cantFail(gpu->synchronize(stream.get()));
    }
    return us;
  };
  const double product = least([&] { plan.multiply(x, y, stream.get()); });
  GpuWorkspace w(gpu, DeviceCsr{}, DeviceArrays{}, setupKernelLoader(machine), stream.get());
  const SetupLaunch empty = emptyLaunch();
  const BoundLaunch launch = llvm::cantFail(w.bound(curvesSource(), empty.kernel, empty.blocks));
  const double bare = least([&] { llvm::cantFail(w.launch(launch)); });
  MESSAGE("a product takes the host ", product, " us, a launch ", bare, " us");
  CHECK(product < 1.6 * bare); // there is an event behind each product
}
