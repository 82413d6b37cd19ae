// Tests new values for a plan: refusals, products on the host, and the driver calls of a plan on a
// GPU; the driver is the tests' own.
#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace apitest;

namespace {

// Returns the driver calls that an update of smallCsr() makes, without those about contexts; its
// values are on the device or on the host.
std::string callsOfUpdate(const char *format, bool updatable, bool onDevice) {
  const Plan plan(smallCsr(), gpuOptions(format, updatable));
  const std::vector<double> val{5, 6, 7, 8};
  *ofFakeDriver<unsigned>("fakeMemoryType") = onDevice ? 2 : 1;
  const auto update = [&] { return specmvUpdateValues(plan, val.data(), nullptr); };
  CHECK_MESSAGE(update() == SPECMV_STATUS_SUCCESS, detail()); // a buffer may be made
  const std::string calls = fakeCallsOf([&] { CHECK(update() == SPECMV_STATUS_SUCCESS); });
  *ofFakeDriver<unsigned>("fakeMemoryType") = 1;
  std::string out;
  for (const char *call : {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoDAsync_v2", "cuLaunchKernel",
                           "cuStreamSynchronize", "cuMemcpyHtoD_v2"})
    for (int i = countOf(call, calls); i > 0; --i)
      out += std::string(out.empty() ? "" : " ") + call;
  return out;
}

} // namespace

TEST_CASE("new values are refused for null pointers, and on the host with a stream") {
  const Plan plan(smallCsr());
  const std::vector<double> val{5, 6, 7, 8};
  int stream = 0;
  CHECK(specmvUpdateValues(nullptr, val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("plan is a null pointer"));
  CHECK(specmvUpdateValues(plan, nullptr, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("val is a null pointer"));
  CHECK(specmvUpdateValues(plan, val.data(), &stream) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("stream must be NULL"));
}

TEST_CASE("a matrix without entries takes no values") {
  const Plan plan(Csr<int32_t, double>{2, 2, {0, 0, 0}, {}, {}});
  CHECK(specmvUpdateValues(plan, nullptr, nullptr) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("products on the host use the new values, also of entries that repeat") {
  auto a = randomCsr<int64_t, float>(50, 20, 6);
  const Plan plan(a);
  const std::vector<float> x = integers<float>(20, 3);
  for (uint64_t round = 0; round < 3; ++round) {
    a.val = integers<float>(static_cast<int64_t>(a.val.size()), round);
    std::vector<float> val = a.val, y(50);
    REQUIRE(specmvUpdateValues(plan, val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    std::fill(val.begin(), val.end(), 99.0F); // the plan has a copy
    const float alpha = 1, beta = 0;
    REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) ==
            SPECMV_STATUS_SUCCESS);
    CHECK(y == naiveProduct(a, alpha, x, beta, y));
  }
}

TEST_CASE("child: new values of plans on a GPU" * doctest::skip()) {
  // A copy if the entries keep their order, otherwise the kernel; values on the host are waited
  // for.
  CHECK(callsOfUpdate("csr-vector", false, true) == "cuMemcpyDtoDAsync_v2");
  CHECK(callsOfUpdate("csr-vector", false, false) ==
        "cuMemcpyHtoDAsync_v2 cuMemcpyDtoDAsync_v2 cuStreamSynchronize");
  CHECK(callsOfUpdate("ell", true, true) == "cuLaunchKernel");
  CHECK(callsOfUpdate("ell", true, false) ==
        "cuMemcpyHtoDAsync_v2 cuLaunchKernel cuStreamSynchronize");
}

TEST_CASE("child: values that are fixed" * doctest::skip()) {
  const Plan plan(smallCsr(), gpuOptions("ell", false));
  const std::vector<double> val{5, 6, 7, 8};
  CHECK(specmvUpdateValues(plan, val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("set updatable in specmvPlanOptions_t"));
  CHECK(detailHas("ell.width"));
}

TEST_CASE("child: values on a GPU for a plan on the host" * doctest::skip()) {
  const Plan plan(smallCsr());
  const std::vector<double> val{5, 6, 7, 8};
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
  CHECK(specmvUpdateValues(plan, val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("val is in GPU memory"));
}

TEST_CASE("a plan on a GPU takes new values in few calls, or says why it does not") {
  for (const char *name : {"child: new values of plans on a GPU", "child: values that are fixed",
                           "child: values on a GPU for a plan on the host"}) {
    const ScratchDirectory cache("specmv-update");
    passesWithFakeGpu(name, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                             {"SPECMV_CACHE_PATH", ""},
                             {"SPECMV_CACHE_DIR", cache.path()}});
  }
}
