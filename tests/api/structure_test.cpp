// Tests plans that follow another plan (structureOf): when they follow it, and when they do not.
#include "tests/api/api_testing.h"

#include <cstddef>

using namespace apitest;

namespace {

specmvPlanOptions_t optionsLike(specmvPlan_t plan) {
  specmvPlanOptions_t options = hostOptions();
  options.structureOf = plan;
  return options;
}

specmvPlanOptions_t optionsFor(const char *formats) {
  specmvPlanOptions_t options = hostOptions();
  options.formats = formats;
  return options;
}

// Makes a matrix whose rows have `length` entries in neighbouring columns.
template <class Value> Csr<int32_t, Value> even(int64_t rows, int32_t length) {
  Csr<int32_t, Value> a{rows, rows, {0}, {}, {}};
  for (int64_t i = 0; i < rows; ++i) {
    for (int32_t k = 0; k < length; ++k)
      a.col.push_back(static_cast<int32_t>((i + k) % rows));
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  a.val = integers<Value>(static_cast<int64_t>(a.col.size()), 7);
  return a;
}

void checkProduct(specmvPlan_t plan, const Csr<int32_t, double> &a) {
  const std::vector<double> x = integers<double>(a.cols, 3);
  std::vector<double> y(static_cast<size_t>(a.rows));
  const double alpha = 1, beta = 0;
  REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y == naiveProduct(a, alpha, x, beta, y));
}

} // namespace

TEST_CASE("a plan with the structure of another gets its text, whatever would be chosen") {
  auto a = even<double>(200, 6);
  for (const char *format : {"ell", "coo", "csr5"}) {
    const Plan first(a, optionsFor(format));
    a.val = integers<double>(static_cast<int64_t>(a.val.size()), 11);
    const Plan second(a, optionsLike(first));
    CHECK(planTextOf(second) == planTextOf(first));
    checkProduct(second, a);
    checkProduct(Plan(a, optionsLike(second)), a);
  }
}

TEST_CASE("a plan follows the order of another, unless its own options name one") {
  const auto a = even<double>(200, 6);
  specmvPlanOptions_t options = hostOptions();
  options.order = "bfs";
  const Plan first(a, options);
  options = optionsLike(first);
  CHECK(planTextOf(Plan(a, options)) == planTextOf(first));
  options.order = "none";
  CHECK(planTextOf(Plan(a, options)).find("order=") == std::string::npos);
}

TEST_CASE("a structure that is another one costs time, never a product") {
  auto a = even<double>(200, 6);
  const Plan first(a, optionsFor("ell"));
  a.rowPtr[3] += 2; // row 2 has two entries more than ELL's width, row 3 two fewer
  const Plan second(a, optionsLike(first));
  CHECK(planTextOf(second) != planTextOf(first));
  checkProduct(second, a);
  const Csr<int32_t, double> b = even<double>(300, 4); // as many entries
  const Plan third(b, optionsLike(first));
  CHECK(planTextOf(third) == planTextOf(Plan(b)));
  checkProduct(third, b);
}

TEST_CASE("a plan is not followed to another type or to a format that is not asked for") {
  const Plan first(even<double>(200, 6), optionsFor("coo"));
  const auto narrow = even<float>(200, 6);
  CHECK(planTextOf(Plan(narrow, optionsLike(first))) == planTextOf(Plan(narrow)));
  specmvPlanOptions_t options = optionsLike(first);
  options.formats = "hyb,ell";
  CHECK(planTextOf(Plan(even<double>(200, 6), options)).rfind("coo", 0) != 0);
  options.formats = "ell,coo";
  CHECK(planTextOf(Plan(even<double>(200, 6), options)) == planTextOf(first));
}

TEST_CASE("arrays that form no matrix are refused as ever, also with a structure") {
  auto a = even<double>(200, 6);
  const Plan first(a);
  a.col[100] = 200;
  specmvPlan_t plan = nullptr;
  const Matrix m(a);
  const specmvPlanOptions_t options = optionsLike(first);
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_MATRIX);
  CHECK(detailHas("row 16: column 200 is out of range"));
  CHECK(plan == nullptr);
}

TEST_CASE("the options of a caller who knows no structureOf end where it begins") {
  specmvPlanOptions_t options = hostOptions();
  options.structSize = offsetof(specmvPlanOptions_t, structureOf);
  options.structureOf = reinterpret_cast<specmvPlan_t>(&options); // must not be read
  options.updatable = 1;
  const Plan plan(smallCsr(), options);
  CHECK(options.structSize == 40); // the size of the older structure
}
