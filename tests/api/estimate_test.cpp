// Tests of the memory of plans: its limit, and what is told of it before.
#include "tests/api/api_testing.h"

using namespace apitest;

TEST_CASE("a plan stores no more than its limit, and an estimate tells before what it stores") {
  const Csr<int32_t, double> a = randomCsr<int32_t, double>(400, 300, 8);
  const Matrix matrix(a);
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  specmvPlanOptions_t options = hostOptions();
  options.formats = "csr-vector,ell";
  REQUIRE(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_SUCCESS);
  CHECK(estimate.bytes > static_cast<int64_t>(12 * a.col.size()));
  CHECK(estimate.productUs > 0);
  CHECK(estimate.setupUs > 0);
  CHECK(estimate.setupCompiledUs > estimate.setupUs);
  options.maxBytes = static_cast<int64_t>(12 * a.col.size() + 4 * 401); // CSR, where ELL pads
  REQUIRE(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_SUCCESS);
  CHECK(std::string(estimate.format) == "csr-vector");
  CHECK(estimate.bytes <= options.maxBytes);
  const Plan plan(matrix, options);
  const char *text = nullptr;
  REQUIRE(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
  CHECK(std::string(text).find("csr-vector") == 0);
  options.maxBytes = 100;
  specmvPlan_t none = nullptr;
  CHECK(specmvCreatePlan(&none, matrix, &options) == SPECMV_STATUS_MISSING);
  CHECK(detailHas("more than the limit, 100; raise maxBytes"));
  CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_MISSING);
  options.maxBytes = -1;
  CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("maxBytes = -1"));
  options.maxBytes = 0;
  CHECK(specmvEstimatePlan(nullptr, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
  estimate.structSize = 3;
  CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
}
