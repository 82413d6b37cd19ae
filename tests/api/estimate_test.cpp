// Tests of the memory of plans: its limit, and the estimates before a plan is made.
#include "tests/api/api_testing.h"

using namespace apitest;

TEST_CASE("on the host an estimate, the limit and the plan speak of the same bytes") {
  const Csr<int32_t, double> a = randomCsr<int32_t, double>(400, 300, 8);
  const Matrix matrix(a);
  const auto bytes = static_cast<int64_t>(4 * 401 + 12 * a.col.size()); // CSR
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  specmvPlanOptions_t options = hostOptions();
  options.maxBytes = bytes;
  REQUIRE(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_SUCCESS);
  CHECK(estimate.bytes == bytes);
  CHECK(estimate.productUs > 0);
  CHECK(estimate.setupUs > 0);
  CHECK(estimate.setupCompiledUs > estimate.setupUs);
  CHECK(*estimate.format);
  const Plan plan(matrix, options);
  int64_t held = 0;
  REQUIRE(specmvGetPlanSetup(plan, nullptr, &held) == SPECMV_STATUS_SUCCESS);
  CHECK(held == bytes);
  options.maxBytes = bytes - 1;
  specmvPlan_t none = nullptr;
  CHECK(specmvCreatePlan(&none, matrix, &options) == SPECMV_STATUS_OVER_MAX_BYTES);
  CHECK(detailHas("more than the limit, " + std::to_string(bytes - 1) + "; raise maxBytes"));
  CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_OVER_MAX_BYTES);
  options.maxBytes = -1;
  CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("maxBytes = -1"));
  options.maxBytes = 0;
  CHECK(specmvEstimatePlan(nullptr, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
  estimate.structSize = 3;
  CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
}

TEST_CASE("an estimate is refused for the reason that the plan is refused for") {
  const Csr<int32_t, double> a = randomCsr<int32_t, double>(40, 30, 8);
  const Matrix matrix(a);
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  specmvPlanOptions_t options = hostOptions();
  options.formats = "cusparse-csr";
  options.scalarsOnGpu = 1; // without effect on the host
  specmvPlan_t none = nullptr;
  CHECK(specmvCreatePlan(&none, matrix, &options) == SPECMV_STATUS_NO_GPU);
  CHECK(specmvEstimatePlan(&estimate, matrix, &options) == SPECMV_STATUS_NO_GPU);
}
