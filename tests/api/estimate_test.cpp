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

TEST_CASE("an estimate knows that values which will change have no coding") {
  const Csr<int32_t, double> a = tridiagonal(600000);
  const Matrix matrix(a);
  specmvPlanEstimate_t coded = SPECMV_PLAN_ESTIMATE_INIT, updatable = SPECMV_PLAN_ESTIMATE_INIT;
  specmvPlanOptions_t options = hostOptions();
  REQUIRE(specmvEstimatePlan(&coded, matrix, &options) == SPECMV_STATUS_SUCCESS);
  options.updatable = 1;
  REQUIRE(specmvEstimatePlan(&updatable, matrix, &options) == SPECMV_STATUS_SUCCESS);
  CHECK(coded.productUs < 0.97 * updatable.productUs);
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

// A former bug: the estimate was that of the best plan, whatever planText said.
TEST_CASE("an estimate is of the plan that is given, and is refused as that plan is") {
  Csr<int32_t, double> a = randomCsr<int32_t, double>(40, 30, 8);
  const Matrix matrix(a);
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  const auto statusesOf = [&](const char *text, int64_t maxBytes = 0) {
    specmvPlanOptions_t options = hostOptions();
    options.planText = text, options.maxBytes = maxBytes;
    specmvPlan_t plan = nullptr;
    const specmvStatus_t made = specmvCreatePlan(&plan, matrix, &options);
    const std::string why = detail();
    specmvDestroyPlan(plan);
    const specmvStatus_t status = specmvEstimatePlan(&estimate, matrix, &options);
    CHECK(status == made);
    if (status != SPECMV_STATUS_SUCCESS)
      CHECK(why == detail());
    return status;
  };
  for (const char *text : {"coo block=256 offset=32 column=32", "csr-scalar block=64 offset=64 "
                                                                "column=32"}) {
    CHECK(statusesOf(text) == SPECMV_STATUS_SUCCESS);
    CHECK(std::string(text).rfind(std::string(estimate.format) + " ", 0) == 0);
    CHECK(estimate.productUs > 0);
    CHECK(estimate.setupCompiledUs > estimate.setupUs);
  }
  CHECK(statusesOf("coo block=256 offset=32 column=32 values=ones") ==
        SPECMV_STATUS_NOT_APPLICABLE);
  CHECK(statusesOf("ell ell.width=1 block=256 offset=32 column=32") ==
        SPECMV_STATUS_NOT_APPLICABLE);
  CHECK(statusesOf("cusparse-csr offset=32 column=32") == SPECMV_STATUS_NO_GPU);
  CHECK(statusesOf("coo block=256 offset=32 column=32", 10) == SPECMV_STATUS_OVER_MAX_BYTES);
  CHECK(statusesOf("coo block=256") == SPECMV_STATUS_INVALID_VALUE);
  CHECK(std::string(estimate.format) == "csr-scalar"); // refusals do not change it
}
