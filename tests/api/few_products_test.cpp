// Tests plans on the host for few products: CSR is multiplied as it is, without a profile or a copy
// in another format.
#include "tests/api/api_testing.h"
#include "tests/runtime/scratch_directory.h"

#include <filesystem>

using namespace apitest;

namespace {

const Csr<int32_t, double> kForFew = randomCsr<int32_t, double>(600, 500, 4);

specmvPlanOptions_t expecting(int64_t products) {
  specmvPlanOptions_t options = hostOptions();
  options.expectedProducts = products;
  return options;
}

bool holds(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

void checkOneProduct(specmvPlan_t plan, const Csr<int32_t, double> &a) {
  const std::vector<double> x = integers<double>(a.cols, 5);
  std::vector<double> y = integers<double>(a.rows, 6);
  const std::vector<double> expected = naiveProduct(a, 2.0, x, 3.0, y);
  const double alpha = 2, beta = 3;
  REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y == expected);
}

} // namespace

// A former bug: the matrix was profiled and packed, which took as long as a dozen products.
TEST_CASE("for one product on the host, the matrix is neither profiled nor packed") {
  const Plan plan(kForFew, expecting(1));
  const std::string json = jsonOf(plan), text = planTextOf(plan);
  CHECK_MESSAGE(holds(json, "\"chosenBy\":\"expectedProducts\""), json);
  CHECK_MESSAGE(holds(json, "\"candidates\":[]"), json);
  CHECK_MESSAGE(holds(text, "csr-merge "), text);
  checkOneProduct(plan, kForFew);

  // It is a plan of its own, also on a GPU.
  specmvPlanOptions_t options = hostOptions();
  options.planText = text.c_str();
  const Plan again(kForFew, options);
  CHECK(planTextOf(again) == text);
  checkOneProduct(again, kForFew);
}

TEST_CASE("plans for one product start at once, take new values and are followed") {
  specmvPlanOptions_t options = expecting(1);
  options.start = SPECMV_START_NOW, options.updatable = 1;
  const Plan plan(kForFew, options);
  checkOneProduct(plan, kForFew);
  Csr<int32_t, double> other = kForFew;
  for (double &value : other.val)
    value = 3 - value;
  REQUIRE(specmvUpdateValues(plan, other.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  checkOneProduct(plan, other);
  specmvPlanOptions_t like = hostOptions();
  like.structureOf = plan;
  const Plan follower(kForFew, like);
  CHECK(planTextOf(follower) == planTextOf(plan));
  checkOneProduct(follower, kForFew);
}

TEST_CASE("many products, a measured choice or a kernel that is asked for need a profile") {
  const auto isProfiled = [](const specmvPlanOptions_t &options) {
    const Plan plan(kForFew, options);
    checkOneProduct(plan, kForFew);
    return !holds(jsonOf(plan), "\"candidates\":[]") &&
           !holds(jsonOf(plan), "\"chosenBy\":\"expectedProducts\"");
  };
  const ScratchDirectory scratch("specmv-few");
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.cacheDirectory = scratch.path().c_str(), settings.packs = "";
  const Context context(settings);
  specmvPlanOptions_t options = expecting(int64_t{1} << 50);
  options.context = context;
  CHECK(isProfiled(options));
  options.expectedProducts = 1, options.formats = "sell";
  CHECK(isProfiled(options));
  options.formats = nullptr, options.vectors = 4;
  CHECK(isProfiled(options));
}

TEST_CASE("a matrix for one product is checked") {
  Csr<int32_t, double> a = kForFew;
  a.col[a.rowPtr[7]] = 500;
  const Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = expecting(1);
  CHECK(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_INVALID_MATRIX);
  CHECK_MESSAGE(detailHas("column 500 is out of range"), detail());
  CHECK(plan == nullptr);
}
