// Tests the cost of a product on the host: no allocation, and few calls of the driver. The driver
// and the compiler are the tests' own.
#include "tests/memory/fail_malloc.h"

#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace apitest;

namespace {

struct Cost {
  specmvStatus_t status;
  long allocations;  // of the thread: another one may compile the plan's own kernels meanwhile
  std::string calls; // of the driver
  friend std::ostream &operator<<(std::ostream &out, const Cost &cost) {
    return out << "status " << cost.status << ", " << cost.allocations
               << " allocations, calls: " << cost.calls;
  }
  bool operator==(const Cost &) const = default;
};

// A product of a plan in this format; its vectors are assumed to be on the device.
class Measured {
public:
  explicit Measured(const char *format) {
    const auto a = randomCsr<int32_t, double>(40, 30, 3);
    specmvPlanOptions_t options{};
    options.structSize = sizeof options;
    options.target = SPECMV_TARGET_GPU;
    options.formats = format;
    specmvMatrix_t matrix = nullptr;
    REQUIRE(create(&matrix, a) == SPECMV_STATUS_SUCCESS);
    const specmvStatus_t made = specmvCreatePlan(&plan_, matrix, &options);
    REQUIRE_MESSAGE(made == SPECMV_STATUS_SUCCESS, detail());
    specmvDestroyMatrix(matrix);
    *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
  }
  Measured(const Measured &) = delete;
  Measured &operator=(const Measured &) = delete;
  ~Measured() { specmvDestroyPlan(plan_); }

  Cost multiply() {
    const double alpha = 2, beta = 3;
    Cost cost{};
    cost.calls = fakeCallsOf([&] {
      failAllocations(0, 0);
      cost.status = specmvExecute(plan_, &alpha, x_.data(), &beta, y_.data(), nullptr);
      cost.allocations = allocationsOfThread();
    });
    return cost;
  }

private:
  specmvPlan_t plan_ = nullptr;
  std::vector<double> x_ = std::vector<double>(30), y_ = std::vector<double>(40);
};

const std::string kPointers = "cuPointerGetAttributes cuPointerGetAttributes ";

} // namespace

TEST_CASE("child: the cost of a product on the host" * doctest::skip()) {
  for (const char *format : {"ell", "csr-vector", "qcsr"}) {
    CAPTURE(format);
    Measured subject(format);
    const Cost cost = subject.multiply();
    CHECK(cost.status == SPECMV_STATUS_SUCCESS);
    CHECK(cost.allocations == 0);
    CHECK(cost.calls ==
          kPointers + "cuCtxGetCurrent cuCtxPushCurrent_v2 cuLaunchKernelEx cuCtxPopCurrent_v2 "
                      "cuCtxGetCurrent cuCtxPushCurrent_v2 cuStreamIsCapturing cuEventRecord "
                      "cuCtxPopCurrent_v2 ");
    CHECK(subject.multiply() == cost);
  }
}

TEST_CASE("child: the cost of a product in a program of the CUDA runtime" * doctest::skip()) {
  Measured subject("ell");
  void *context = nullptr; // the runtime makes the primary context current and leaves it so
  REQUIRE(ofFakeDriver<int(void **)>("cuDevicePrimaryCtxRetain")(&context) == 0);
  REQUIRE(ofFakeDriver<int(void *)>("cuCtxPushCurrent_v2")(context) == 0);
  const Cost cost = subject.multiply();
  CHECK(cost == Cost{SPECMV_STATUS_SUCCESS, 0,
                     kPointers + "cuCtxGetCurrent cuLaunchKernelEx cuCtxGetCurrent "
                                 "cuStreamIsCapturing cuEventRecord "});
  CHECK(subject.multiply() == cost);
}

TEST_CASE("a product allocates nothing and calls the driver only for what it must") {
  for (const char *name : {"child: the cost of a product on the host",
                           "child: the cost of a product in a program of the CUDA runtime"}) {
    const ScratchDirectory cache("specmv-product");
    passesWithFakeGpu(name, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                             {"SPECMV_CACHE_PATH", ""},
                             {"SPECMV_CACHE_DIR", cache.path()}});
  }
}
