// Tests results in another vector, and double vectors with a float matrix, through the C API: on
// the host, and the refusals.
#include "tests/api/into_testing.h"

using namespace apitest;

namespace {

template <class Value, class Stored>
void checkOnHost(const Csr<int32_t, Stored> &a, bool isApart, bool isDouble) {
  specmvPlanOptions_t options = hostOptions();
  options.resultApart = isApart;
  options.doubleVectors = isDouble;
  options.vectors = 3;
  const Plan plan(a, options);
  checkInto<Value>(plan, a, vectorsOnHost());
}

template <class Stored> void checkAllOnHost(const Csr<int32_t, Stored> &a) {
  CAPTURE(a.rows);
  CAPTURE(a.cols);
  for (const bool isApart : {false, true}) {
    checkOnHost<Stored>(a, isApart, false);
    checkOnHost<double>(a, isApart, true); // nothing new where values are double
  }
}

} // namespace

TEST_CASE_TEMPLATE("a result goes into another vector", Value, float, double) {
  checkAllOnHost(randomCsr<int32_t, Value>(60, 60, 5));
  checkAllOnHost(randomCsr<int32_t, Value>(9, 70, 20));
  for (const auto &[rows, cols] : {std::pair(0, 0), {0, 5}, {5, 0}, {4, 4}})
    checkAllOnHost(Csr<int32_t, Value>{rows, cols, std::vector<int32_t>(rows + 1, 0), {}, {}});
}

TEST_CASE("several vectors in double of a matrix in float") {
  const auto a = randomCsr<int32_t, float>(50, 40, 6);
  specmvPlanOptions_t options = hostOptions();
  options.doubleVectors = 1;
  options.vectors = 4;
  const Plan plan(a, options);
  const Csr<int32_t, double> wide = withValuesIn<double>(a);
  std::vector<double> x(40 * 4), y(50 * 4);
  const double alpha = 3, beta = 0;
  std::vector<std::vector<double>> columns;
  for (size_t j = 0; j < 4; ++j) {
    columns.push_back(exactNumbers<double>(40, 11 + j));
    for (size_t i = 0; i < 40; ++i)
      x[i * 4 + j] = columns[j][i];
  }
  REQUIRE(specmvExecuteMulti(plan, 4, &alpha, x.data(), 4, &beta, y.data(), 4, SPECMV_ORDER_ROW,
                             nullptr) == SPECMV_STATUS_SUCCESS);
  for (size_t j = 0; j < 4; ++j) {
    const std::vector<double> one =
        naiveProduct<int32_t, double>(wide, 3, columns[j], 0, std::vector<double>(50));
    for (size_t i = 0; i < 50; ++i)
      REQUIRE(y[i * 4 + j] == one[i]);
  }
}

TEST_CASE("a plan with vectors in double says so, and takes new values in float") {
  auto a = randomCsr<int32_t, float>(50, 50, 6);
  specmvPlanOptions_t options = hostOptions();
  options.doubleVectors = 1;
  options.updatable = 1;
  const Plan plan(a, options);
  const char *json = nullptr;
  REQUIRE(specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS);
  CHECK(std::string(json).find("\"type\":\"f32\"") != std::string::npos);
  CHECK(std::string(json).find("\"vectorType\":\"f64\"") != std::string::npos);
  for (float &value : a.val)
    value *= 2;
  REQUIRE(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  checkInto<double>(plan, a, vectorsOnHost());
}

TEST_CASE("what results in other vectors refuse") {
  const Plan plan(smallCsr());
  std::vector<double> x(4, 1), y(8, 7);
  const std::vector<double> before = y;
  const double one = 1, zero = 0;
  const auto refusal = [&](const double &beta, const void *vy, void *vz) {
    CHECK(specmvExecuteInto(plan, &one, x.data(), &beta, vy, vz, nullptr) ==
          SPECMV_STATUS_INVALID_VALUE);
    CHECK(y == before);
    return detail();
  };
  CHECK(refusal(one, nullptr, y.data()) == "y is a null pointer");
  CHECK(refusal(one, y.data(), nullptr) == "z is a null pointer");
  CHECK(refusal(zero, nullptr, nullptr) == "y is a null pointer");
  CHECK(refusal(one, y.data(), y.data() + 2) ==
        "z begins 16 bytes from y and overlaps it; z must be y itself or a separate array");
  CHECK(refusal(one, y.data() + 2, y.data()) ==
        "z begins -16 bytes from y and overlaps it; z must be y itself or a separate array");
  CHECK(refusal(one, y.data(), x.data() + 1) ==
        "x and z overlap in memory; they must have no element in common");
  CHECK(specmvExecuteInto(nullptr, &one, x.data(), &one, y.data(), y.data(), nullptr) ==
        SPECMV_STATUS_INVALID_VALUE);
}

TEST_CASE("a plan with vectors in double is the one that a GPU would run") {
  // Unavailable formats must state the reason.
  specmvPlan_t plan = nullptr;
  const auto arrays = randomCsr<int32_t, float>(50, 50, 6);
  const Matrix a(arrays);
  specmvPlanOptions_t options = hostOptions();
  options.doubleVectors = 1;
  options.formats = "hcghyb,cusparse-csr";
  CHECK(specmvCreatePlan(&plan, a, &options) == SPECMV_STATUS_NOT_APPLICABLE);
  CHECK(detail() == "hcghyb takes no vectors in f64 for a matrix in f32 (likewise cusparse-csr)");
}
