// Tests plans whose values get a coding by choice: which options they follow, and that they refuse
// new values unless they kept the places of entries (recode_test.cpp).
#include "tests/api/api_testing.h"

#include <algorithm>

using namespace apitest;

namespace {

bool isCoded(const Plan &plan) { return planTextOf(plan).find(" values=") != std::string::npos; }

} // namespace

TEST_CASE("values that are known get a coding, unless an option says that they are plain") {
  const auto a = tridiagonal(600000);
  specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_HOST, nullptr);
  const Plan coded(a, options);
  CHECK(isCoded(coded));
  CHECK(specmvUpdateValues(coded, a.val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(
      detailHas("set updatable in specmvPlanOptions_t when making the plan, with which it "
                "stores plain values"),
      detail());
  options.plainValues = 1;
  CHECK_FALSE(isCoded(Plan(a, options)));
  options.plainValues = 0;
  options.updatable = 1;
  const Plan updatable(a, options);
  CHECK_FALSE(isCoded(updatable));
  CHECK(specmvUpdateValues(updatable, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a plan after one with a coding has the same numbers with plain values") {
  const auto a = tridiagonal(600000);
  specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_HOST, nullptr);
  const Plan coded(a, options);
  REQUIRE(isCoded(coded));
  options.updatable = 1;
  options.structureOf = coded;
  const std::string text = planTextOf(Plan(a, options));
  CHECK(text == planTextOf(coded).substr(0, planTextOf(coded).find(" values=")));
}

TEST_CASE("structureOf a plan whose coding of values does not fit is followed without it") {
  auto a = randomCsr<int32_t, double>(60, 50, 4);
  std::fill(a.val.begin(), a.val.end(), 3);
  specmvPlanOptions_t options = hostOptions();
  options.planText = "coo block=256 offset=32 column=32 values=ones";
  const Plan first(a, options);
  options.planText = nullptr, options.structureOf = first;
  a.val[0] = 4;
  CHECK(planTextOf(Plan(a, options)) == "coo block=256 offset=32 column=32");
}
