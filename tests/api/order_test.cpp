// Tests the options of an order of rows and columns, and specmvGetPermutation(), on the host.
#include "tests/api/api_testing.h"

#include <numeric>

using namespace apitest;

namespace {

constexpr const char *kOrdered = "csr-vector csr.lanes=4 block=256 offset=32 column=32 order=bfs";

Csr<int32_t, double> squareCsr() { return randomCsr<int32_t, double>(300, 300, 4); }

void checkRefused(const Csr<int32_t, double> &a, const specmvPlanOptions_t &options,
                  specmvStatus_t status, const char *sentence) {
  const Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  CHECK(specmvCreatePlan(&plan, matrix, &options) == status);
  CHECK_MESSAGE(detailHas(sentence), detail());
}

} // namespace

TEST_CASE("a plan has the order that is named, in its text and for new values") {
  const auto a = squareCsr();
  specmvPlanOptions_t options = hostOptions();
  options.order = "bfs";
  const Plan ordered(a, options);
  CHECK(planTextOf(ordered).find(" order=bfs") != std::string::npos);
  options.order = "none";
  CHECK(planTextOf(Plan(a, options)).find("order") == std::string::npos);
  options.order = nullptr;
  options.planText = kOrdered;
  const Plan given(a, options);
  CHECK(planTextOf(given) == kOrdered);
  const auto x = integers<double>(300, 3);
  std::vector<double> y(300);
  const double one = 1, zero = 0;
  REQUIRE(specmvExecute(given, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y == naiveProduct(a, 1.0, x, 0.0, y));
}

TEST_CASE("on the host every plan has the order of the matrix") {
  const auto a = squareCsr();
  specmvPlanOptions_t options = hostOptions();
  options.order = "bfs";
  options.vectorsInPlanOrder = 1;
  const Plan plan(a, options);
  std::vector<int64_t> rows(300, -1), columns(300, -1), identity(300);
  std::iota(identity.begin(), identity.end(), 0);
  REQUIRE(specmvGetPermutation(plan, rows.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(rows == identity);
  REQUIRE(specmvGetPermutation(plan, nullptr, columns.data()) == SPECMV_STATUS_SUCCESS);
  CHECK(columns == identity);
  CHECK(specmvGetPermutation(nullptr, rows.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
}

TEST_CASE("orders that cannot be are refused in a sentence") {
  specmvPlanOptions_t options = hostOptions();
  options.order = "rcm";
  checkRefused(squareCsr(), options, SPECMV_STATUS_INVALID_VALUE,
               "order='rcm' is no order of rows and columns; use order=bfs or order=none");
  options.order = "";
  checkRefused(squareCsr(), options, SPECMV_STATUS_INVALID_VALUE,
               "order = \"\" is no order of rows and columns; set it to NULL");
  options.order = "bfs";
  checkRefused(
      smallCsr(), options, SPECMV_STATUS_NOT_APPLICABLE,
      "order=bfs takes square matrices; this one has 3 rows and 4 columns; use order=none");
  options.planText = kOrdered;
  checkRefused(squareCsr(), options, SPECMV_STATUS_INVALID_VALUE,
               "planText has the order of its plan, which order = 'bfs' contradicts");
  options = hostOptions();
  options.vectorsInPlanOrder = 1;
  checkRefused(squareCsr(), options, SPECMV_STATUS_INVALID_VALUE,
               "vectorsInPlanOrder needs an order that is known before the plan");
  options.order = "bfs";
  options.start = SPECMV_START_NOW;
  checkRefused(squareCsr(), options, SPECMV_STATUS_INVALID_VALUE,
               "with SPECMV_START_NOW the first products take vectors in the order of the matrix");
  options.start = SPECMV_START_WAIT;
  options.vectorsInPlanOrder = 0;
  options.vectors = 4;
  checkRefused(squareCsr(), options, SPECMV_STATUS_NOT_APPLICABLE,
               "products with several vectors permute none");
}
