// Tests the promises of callers: arrays that outlive the plan (csrOutlivesPlan), with what the plan
// keeps and what is then refused; and vectors on the GPU (vectorsOnGpu).
#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

#include <algorithm>

using namespace apitest;

namespace {

specmvPlanOptions_t lentOptions(const char *format, bool updatable) {
  specmvPlanOptions_t options = gpuOptions(format, updatable);
  options.csrOutlivesPlan = 1;
  return options;
}

// Returns the number of bytes that a plan keeps on the GPU.
int64_t keptBytes(const char *format, bool onDevice, bool updatable) {
  *ofFakeDriver<unsigned>("fakeMemoryType") = onDevice ? 2 : 1;
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const Plan plan(a, lentOptions(format, updatable));
  int64_t bytes = 0;
  CHECK(specmvGetPlanSetup(plan, nullptr, &bytes) == SPECMV_STATUS_SUCCESS);
  CHECK((specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS) ==
        (updatable || !onDevice));
  return bytes;
}

} // namespace

TEST_CASE("child: arrays that outlive the plan" * doctest::skip()) {
  for (const char *format : {"csr-scalar", "csr-vector", "csr-merge"}) {
    CAPTURE(format);
    const int64_t copies = keptBytes(format, true, true);
    CHECK(copies > 0);
    CHECK(keptBytes(format, false, false) == copies); // those on the host were uploaded for it
    CHECK(keptBytes(format, true, false) < copies / 2);
  }
  CHECK(keptBytes("csr-vector", true, false) == 0);
  CHECK(detailHas("reads arrays that are not its own"));
  CHECK(detailHas("set updatable in specmvPlanOptions_t"));
}

TEST_CASE("child: arrays of indices that are too wide" * doctest::skip()) {
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
  const Plan plan(randomCsr<int64_t, double>(50, 40, 5), lentOptions("csr-vector", false));
  int64_t bytes = 0;
  CHECK(specmvGetPlanSetup(plan, nullptr, &bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(bytes > 0);
}

TEST_CASE("child: library calls on arrays that outlive the plan" * doctest::skip()) {
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
  auto a = randomCsr<int32_t, double>(50, 40, 5);
  const Plan plan(a, lentOptions("cusparse-csr", false));
  const std::vector<double> x = integers<double>(40, 3);
  const double one = 1, zero = 0;
  for (int round = 0; round < 2; ++round) {
    std::vector<double> y(50);
    CHECK(specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    CHECK(y == naiveProduct(a, one, x, zero, y));
    std::reverse(a.val.begin(), a.val.end()); // against the promise: this shows who reads them
  }
}

// A former bug: that plan's choice was followed for every problem.
TEST_CASE("child: the structure of a library call on lent arrays" * doctest::skip()) {
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
  const auto a = randomCsr<int32_t, float>(50, 40, 5);
  specmvPlanOptions_t options = lentOptions("cusparse-csr", false);
  const Plan first(a, options);
  options.structureOf = first;
  CHECK(planTextOf(Plan(a, options)) == planTextOf(first));
  const auto isRefused = [&](const specmvPlanOptions_t &asked, const char *why) {
    const Matrix m(a);
    specmvPlan_t plan = nullptr;
    CHECK(specmvCreatePlan(&plan, m, &asked) == SPECMV_STATUS_NOT_APPLICABLE);
    CHECK(detailHas(why));
  };
  specmvPlanOptions_t wide = options, scalars = options, several = options;
  wide.doubleVectors = scalars.scalarsOnGpu = 1;
  several.vectors = 8;
  isRefused(wide, "takes no vectors in f64");
  isRefused(scalars, "takes alpha and beta from the host only");
  isRefused(several, "has no kernel for several vectors");
  for (specmvPlanOptions_t *any : {&wide, &scalars, &several}) {
    any->formats = nullptr;
    CHECK(planTextOf(Plan(a, *any)).rfind("cusparse", 0) != 0);
  }
}

TEST_CASE("child: vectors that are on the GPU" * doctest::skip()) {
  const auto a = smallCsr();
  specmvPlanOptions_t options = lentOptions("cusparse-csr", false);
  const std::vector<double> x = integers<double>(4, 3);
  const double one = 1, zero = 0;
  for (const bool isPromised : {false, true}) {
    options.vectorsOnGpu = isPromised;
    const Plan plan(a, options);
    std::vector<double> y(3);
    *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
    const std::string calls = fakeCallsOf([&] {
      CHECK(specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    });
    CHECK(countOf("cuPointerGetAttributes", calls) == (isPromised ? 0 : 2));
    CHECK(y == naiveProduct(a, one, x, zero, y));
    CHECK(specmvExecute(plan, &one, nullptr, &zero, y.data(), nullptr) ==
          SPECMV_STATUS_INVALID_VALUE);
  }
}

TEST_CASE("what the caller promises of arrays and vectors is not copied and not asked") {
  for (const char *name :
       {"child: arrays that outlive the plan", "child: arrays of indices that are too wide",
        "child: library calls on arrays that outlive the plan",
        "child: the structure of a library call on lent arrays",
        "child: vectors that are on the GPU"}) {
    const ScratchDirectory cache("specmv-lent");
    passesWithFakeGpu(name, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                             {"SPECMV_FAKE_CUSPARSE", "1"},
                             {"SPECMV_CACHE_PATH", ""},
                             {"SPECMV_CACHE_DIR", cache.path()}});
  }
}
