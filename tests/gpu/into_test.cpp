// Tests results in another vector, and double vectors with a float matrix, through the C API on a
// GPU: for every format, with vectors on the device and on the host, and before the plan.
#include "tests/api/into_testing.h"
#include "tests/gpu/device_vectors.h"

#include "generator/formats.h"

using namespace specmv;

namespace {

template <class Value, class Stored>
bool checkFormat(const apitest::Csr<int32_t, Stored> &arrays, const char *format, bool isApart) {
  CAPTURE(format);
  CAPTURE(isApart);
  const apitest::Matrix a(arrays);
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, format);
  options.resultApart = isApart;
  options.doubleVectors = sizeof(Value) > sizeof(Stored);
  specmvPlan_t plan = nullptr;
  const specmvStatus_t status = specmvCreatePlan(&plan, a, &options);
  if (status != SPECMV_STATUS_SUCCESS) {
    const bool isRefused =
        status == SPECMV_STATUS_NOT_APPLICABLE || status == SPECMV_STATUS_MISSING;
    CHECK_MESSAGE(isRefused, apitest::detail());
    return false;
  }
  apitest::checkInto<Value>(plan, arrays, vectorsOnDevice());
  apitest::checkInto<Value>(plan, arrays, apitest::vectorsOnHost());
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  return true;
}

template <class Value, class Stored> void checkEveryFormat(const apitest::Csr<int32_t, Stored> &a) {
  int made = 0;
  for (const Format &format : formats())
    for (const bool isApart : {false, true})
      made += checkFormat<Value>(a, format.name, isApart);
  MESSAGE(made, " plans");
  CHECK(made >= 16);
}

} // namespace

TEST_SUITE("products") {
  TEST_CASE_TEMPLATE("a result goes into another vector, in every format", Value, float, double) {
    checkEveryFormat<Value>(bandCsr<Value>(1500));
    checkEveryFormat<Value>(apitest::randomCsr<int32_t, Value>(700, 700, 9));
  }

  TEST_CASE("every format with vectors in double of a matrix in float") {
    checkEveryFormat<double>(bandCsr<float>(1500));
    checkEveryFormat<double>(apitest::randomCsr<int32_t, float>(700, 500, 9));
  }

  TEST_CASE("vectors in double: measured, several at once, new values, before the plan") {
    auto a = apitest::randomCsr<int32_t, float>(3000, 3000, 9);
    specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU);
    options.doubleVectors = 1;
    options.resultApart = 1;
    options.updatable = 1;
    options.rigor = SPECMV_RIGOR_MEASURE;
    options.vectors = 4;
    const apitest::Plan plan(a, options);
    apitest::checkInto<double>(plan, a, vectorsOnDevice());
    for (float &value : a.val)
      value = -value;
    REQUIRE(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    apitest::checkInto<double>(plan, a, vectorsOnDevice());
    options.vectors = 0;
    options.rigor = SPECMV_RIGOR_ESTIMATE;
    options.updatable = 0;
    options.start = SPECMV_START_NOW;
    const apitest::Plan started(a, options);
    apitest::checkInto<double>(started, a, vectorsOnDevice());
    REQUIRE(specmvPlanWait(started) == SPECMV_STATUS_SUCCESS);
    apitest::checkInto<double>(started, a, vectorsOnDevice());
    const apitest::VectorPlace place = vectorsOnDevice();
    options.start = SPECMV_START_WAIT;
    options.vectors = 8;
    const apitest::Plan eight(a, options);
    apitest::Placed<double> x(std::vector<double>(3000 * 8, 1 + 0x1p-30), place),
        y(std::vector<double>(3000 * 8, 1), place);
    const double two = 2, one = 1;
    REQUIRE(specmvExecuteMulti(eight, 8, &two, x.at.get(), 8, &one, y.at.get(), 8, SPECMV_ORDER_ROW,
                               nullptr) == SPECMV_STATUS_SUCCESS);
    const std::vector<double> each = apitest::naiveProduct<int32_t, double>(
        apitest::withValuesIn<double>(a), 2, std::vector<double>(3000, 1 + 0x1p-30), 1,
        std::vector<double>(3000, 1));
    y.taken();
    for (size_t i = 0; i < y.values.size(); ++i)
      REQUIRE(y.values[i] == each[i / 8]);
  }
} // TEST_SUITE
