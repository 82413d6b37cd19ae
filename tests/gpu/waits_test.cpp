// Tests that calls do not wait for the program's work on another stream, which is held here until
// the call has returned.
#include "tests/api/api_testing.h"
#include "tests/gpu/program_stream.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace specmv;

namespace {

// A stream of the program that is held until it is released, or for at most 20 seconds.
class HeldStream {
public:
  HeldStream(const GpuDevice &gpu, StreamKind kind) : gpu_(gpu), stream_(streamOf(gpu, kind)) {
    llvm::cantFail(callOnHost(
        gpu,
        [](void *self) {
          auto &held = *static_cast<HeldStream *>(self);
          std::unique_lock lock(held.mutex_);
          held.change_.wait_for(lock, std::chrono::seconds(20), [&] { return held.goesOn_; });
          held.hasEnded_ = true;
        },
        this, stream_.get()));
  }
  ~HeldStream() {
    {
      const std::lock_guard lock(mutex_);
      goesOn_ = true;
    }
    change_.notify_all();
    llvm::cantFail(gpu_.synchronize(stream_.get()));
  }
  bool isHeld() {
    const std::lock_guard lock(mutex_);
    return !hasEnded_;
  }

private:
  const GpuDevice &gpu_;
  GpuHandle<void *> stream_;
  std::mutex mutex_;
  std::condition_variable change_;
  bool goesOn_ = false, hasEnded_ = false;
};

void callsGoBy(StreamKind kind) {
  const auto gpu = gpuMachine().gpu;
  const auto a = apitest::randomCsr<int32_t, double>(4000, 4000, 7);
  const auto own = llvm::cantFail(makeStream(*gpu));
  const auto onGpu = [&](const auto &values) {
    return llvm::cantFail(gpu->uploaded(values.data(), values.size() * sizeof(values[0])));
  };
  const auto at = [](const DeviceBuffer &buffer) {
    return reinterpret_cast<void *>(buffer.pointer());
  };
  const DeviceBuffer rowPtr = onGpu(a.rowPtr), col = onGpu(a.col), val = onGpu(a.val),
                     x = onGpu(a.val), y = onGpu(a.val);
  specmvMatrix_t there = nullptr;
  REQUIRE(specmvCreateCsr(&there, a.rows, a.cols, static_cast<int64_t>(a.col.size()), at(rowPtr),
                          at(col), at(val), SPECMV_INDEX_32I,
                          SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  const apitest::Matrix here(a);
  specmvPlanOptions_t options = apitest::gpuOptions("ell", true);
  specmvPlan_t plan = nullptr, kept = nullptr;
  const double one = 1, zero = 0;
  const auto multiply = [&](specmvPlan_t with) {
    return specmvExecute(with, &one, at(x), &zero, at(y), own.get());
  };
  // All kernels must be loaded, since loading waits, as the header says.
  REQUIRE(specmvCreatePlan(&kept, there, &options) == SPECMV_STATUS_SUCCESS);
  REQUIRE(multiply(kept) == SPECMV_STATUS_SUCCESS);
  options.start = SPECMV_START_NOW;
  REQUIRE(specmvCreatePlan(&plan, there, &options) == SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  options.start = SPECMV_START_WAIT;

  const auto goesBy = [&](const char *call, const auto &body) {
    CAPTURE(std::string(call));
    HeldStream held(*gpu, kind);
    CHECK(body() == SPECMV_STATUS_SUCCESS);
    CHECK(held.isHeld());
  };
  goesBy("create, arrays on the GPU", [&] { return specmvCreatePlan(&plan, there, &options); });
  goesBy("execute", [&] { return multiply(plan); });
  goesBy("update, on the GPU", [&] { return specmvUpdateValues(plan, at(val), own.get()); });
  goesBy("update, on the host", [&] { return specmvUpdateValues(plan, a.val.data(), own.get()); });
  goesBy("destroy", [&] { return specmvDestroyPlan(plan); });
  goesBy("create, arrays on the host", [&] { return specmvCreatePlan(&plan, here, &options); });
  goesBy("execute, vectors on the host", [&] {
    std::vector<double> hostX(static_cast<size_t>(a.cols), 1), hostY(static_cast<size_t>(a.rows));
    return specmvExecute(plan, &one, hostX.data(), &zero, hostY.data(), own.get());
  });
  goesBy("destroy on a stream", [&] { return specmvDestroyPlanAsync(plan, own.get()); });
  options.start = SPECMV_START_NOW;
  goesBy("start now", [&] { return specmvCreatePlan(&plan, there, &options); });
  goesBy("first product", [&] { return multiply(plan); });
  goesBy("plan wait", [&] { return specmvPlanWait(plan); });
  goesBy("product after it", [&] { return multiply(plan); });
  goesBy("destroy what was started", [&] { return specmvDestroyPlan(plan); });
  goesBy("estimate", [&] {
    specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
    return specmvEstimatePlan(&estimate, there, nullptr);
  });
  CHECK(specmvDestroyPlan(kept) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvDestroyMatrix(there) == SPECMV_STATUS_SUCCESS);
}

} // namespace

TEST_CASE("calls do not wait for another stream of the program") {
  callsGoBy(StreamKind::nonBlocking);
}

TEST_CASE("calls do not wait for a stream that waits for the default stream") {
  callsGoBy(StreamKind::blocking);
}
