// Tests products through the C API on the host: every pair of types against the definition, the
// effects of NaN and empty shapes, and which CSR arrays are invalid.
#include "tests/api/api_testing.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sys/mman.h>

using namespace apitest;

namespace {

template <class Index, class Value>
std::vector<Value> product(specmvPlan_t plan, const Csr<Index, Value> &a, Value alpha,
                           const std::vector<Value> &x, Value beta, std::vector<Value> y) {
  REQUIRE(static_cast<int64_t>(x.size()) >= a.cols);
  const specmvStatus_t status = specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr);
  INFO(detail());
  CHECK(status == SPECMV_STATUS_SUCCESS);
  return y;
}

// Checks several products of one plan; with integers, results must be equal exactly.
template <class Index, class Value> void checkProducts(const Csr<Index, Value> &a) {
  CAPTURE(a.rows);
  CAPTURE(a.cols);
  const Plan plan(a);
  // One element more than needed, so that no pointer is null.
  const std::vector<Value> x = integers<Value>(a.cols + 1, 2), y = integers<Value>(a.rows + 1, 3);
  for (Value alpha : {1, -2, 0})
    for (Value beta : {0, 1, -3}) {
      CAPTURE(alpha);
      CAPTURE(beta);
      CHECK(product(plan, a, alpha, x, beta, y) == naiveProduct(a, alpha, x, beta, y));
    }
}

template <class Index, class Value> Csr<Index, Value> denseRowCsr(int64_t n) {
  Csr<Index, Value> a = randomCsr<Index, Value>(n, n, 1);
  a.rowPtr.push_back(static_cast<Index>(a.col.size() + n));
  for (int64_t j = n; j-- > 0;) { // descending
    a.col.push_back(static_cast<Index>(j));
    a.val.push_back(static_cast<Value>(j % 5 - 2));
  }
  ++a.rows;
  return a;
}

template <class Pair> void checkAllShapes() {
  using Index = typename Pair::first_type;
  using Value = typename Pair::second_type;
  checkProducts(smallCsr());
  for (auto [rows, cols] : {std::pair(0, 0), {0, 5}, {5, 0}, {1, 1}, {5, 5}}) {
    Csr<Index, Value> empty{rows, cols, std::vector<Index>(rows + 1, 0), {}, {}};
    checkProducts(empty);
  }
  checkProducts(Csr<Index, Value>{1, 1, {0, 3}, {0, 0, 0}, {1, 2, -5}});
  checkProducts(randomCsr<Index, Value>(50, 7, 3));
  checkProducts(randomCsr<Index, Value>(7, 50, 30));
  checkProducts(randomCsr<Index, Value>(3000, 2000, 5));
  checkProducts(denseRowCsr<Index, Value>(1500));
}

specmvStatus_t planStatus(const Csr<int32_t, double> &a) {
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = hostOptions();
  const specmvStatus_t status = specmvCreatePlan(&plan, m, &options);
  if (status != SPECMV_STATUS_SUCCESS)
    CHECK(plan == nullptr);
  specmvDestroyPlan(plan);
  return status;
}

} // namespace

TEST_CASE("float with 32-bit indices") { checkAllShapes<std::pair<int32_t, float>>(); }
TEST_CASE("float with 64-bit indices") { checkAllShapes<std::pair<int64_t, float>>(); }
TEST_CASE("double with 32-bit indices") { checkAllShapes<std::pair<int32_t, double>>(); }
TEST_CASE("double with 64-bit indices") { checkAllShapes<std::pair<int64_t, double>>(); }

TEST_CASE("a product large enough for several threads is the definition's") {
  const Csr<int32_t, double> a = randomCsr<int32_t, double>(60000, 60000, 12);
  const Plan plan(a);
  const std::vector<double> x = integers<double>(a.cols, 4), y = integers<double>(a.rows, 5);
  CHECK(product(plan, a, 3.0, x, 2.0, y) == naiveProduct(a, 3.0, x, 2.0, y));
}

TEST_CASE("without options the plan works where it says that it does") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  REQUIRE(specmvCreatePlan(&plan, m, nullptr) == SPECMV_STATUS_SUCCESS);
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  CHECK(specmvGetPlanTarget(plan, &target) == SPECMV_STATUS_SUCCESS);
  CHECK(target != SPECMV_TARGET_AUTO);
  if (target == SPECMV_TARGET_HOST)
    CHECK(product(plan, a, 1.0, {1, 10, 100, 1000}, 0.0, {0, 0, 0}) ==
          std::vector<double>{1002, 0, 430});
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a matrix without entries needs no arrays of entries") {
  const std::vector<int64_t> rowPtr(4, 0);
  specmvMatrix_t m = nullptr;
  REQUIRE(specmvCreateCsr(&m, 3, 2, 0, rowPtr.data(), nullptr, nullptr, SPECMV_INDEX_64I,
                          SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  {
    const Plan plan{m};
    const Csr<int64_t, double> a{3, 2, rowPtr, {}, {}};
    CHECK(product(plan, a, 1.0, {1, 2}, -2.0, {1, 2, 3}) == std::vector<double>{-2, -4, -6});
  }
  CHECK(specmvDestroyMatrix(m) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a NaN or infinity in x reaches exactly the rows that have an entry in its column") {
  Csr<int32_t, double> a = randomCsr<int32_t, double>(300, 40, 4);
  for (double &value : a.val)
    value = std::abs(value) + 1;
  const int32_t poisoned = 17;
  const Plan plan(a);
  for (double poison : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    std::vector<double> x(a.cols, 1.0);
    x[poisoned] = poison;
    const std::vector<double> y = product(plan, a, 1.0, x, 0.0, std::vector<double>(a.rows, 1.0));
    int reached = 0;
    for (int64_t i = 0; i < a.rows; ++i) {
      const bool has = std::find(a.col.begin() + a.rowPtr[i], a.col.begin() + a.rowPtr[i + 1],
                                 poisoned) != a.col.begin() + a.rowPtr[i + 1];
      CAPTURE(i);
      CHECK(std::isfinite(y[i]) == !has);
      reached += has;
    }
    CHECK(reached > 0);
    CHECK(reached < a.rows);
  }
}

TEST_CASE("beta = 0 never reads y, and another beta reads all of it") {
  const Csr<int32_t, float> a = randomCsr<int32_t, float>(100, 100, 2);
  const Plan plan(a);
  const std::vector<float> x = integers<float>(a.cols, 6), none(a.rows, NAN);
  for (float zero : {0.0f, -0.0f})
    CHECK(product(plan, a, 1.0f, x, zero, none) ==
          naiveProduct(a, 1.0f, x, 0.0f, std::vector<float>(a.rows)));
  for (float value : product(plan, a, 1.0f, x, 1.0f, none))
    CHECK(std::isnan(value));
}

TEST_CASE("a plan outlives its matrix and the caller's arrays") {
  auto a = std::make_unique<Csr<int32_t, double>>(randomCsr<int32_t, double>(500, 300, 6));
  const Csr<int32_t, double> copy = *a;
  const Plan plan(*a); // its matrix handle is destroyed at once
  std::fill(a->rowPtr.begin(), a->rowPtr.end(), -1);
  std::fill(a->col.begin(), a->col.end(), -1);
  std::fill(a->val.begin(), a->val.end(), NAN);
  a.reset();
  const std::vector<double> x = integers<double>(300, 7), y = integers<double>(500, 8);
  CHECK(product(plan, copy, 2.0, x, 3.0, y) == naiveProduct(copy, 2.0, x, 3.0, y));
}

TEST_CASE("a column beyond 2^32 is read from there") {
  const int64_t cols = (int64_t(1) << 32) + 3;
  void *memory = mmap(nullptr, cols * sizeof(float), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    MESSAGE("skipped: no 16 GiB of addresses");
    return;
  }
  float *x = static_cast<float *>(memory);
  x[cols - 1] = 7;
  x[2] = 11; // where a column cut to 32 bits would read
  const Csr<int64_t, float> a{2, cols, {0, 1, 2}, {cols - 1, 0}, {2, 1}};
  {
    const Plan plan(a);
    const float one = 1, zero = 0;
    std::vector<float> y(2, NAN);
    CHECK(specmvExecute(plan, &one, x, &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    CHECK(y == std::vector<float>{14, 0});
  }
  munmap(memory, cols * sizeof(float));
}

TEST_CASE("arrays that are no matrix are INVALID_MATRIX, and the detail has the row and number") {
  struct Case {
    std::vector<int32_t> rowPtr, col;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases = {
      {{0, 3, 2, 4}, {0, 0, 0, 0}, {"row 1", "3", "2"}},   // descends
      {{0, -5, 2, 4}, {0, 0, 0, 0}, {"row 0", "-5"}},      // descends below 0
      {{0, 2, 2, 4}, {0, 0, 4, 0}, {"row 2", "column 4"}}, // one beyond
      {{0, 2, 2, 4}, {0, -1, 0, 0}, {"row 0", "-1"}},      //
      {{0, 2, 2, 4}, {0, 0, 0, INT32_MAX}, {"row 2", "2147483647"}},
      {{0, INT32_MAX, 2, 4}, {0, 0, 0, 0}, {"row 0", "2147483647"}},
      {{1, 2, 2, 4}, {0, 0, 0, 0}, {"1"}}, // does not start at 0
      {{0, 2, 2, 3}, {0, 0, 0, 0}, {"3", "4"}},
      {{0, 2, 2, 5}, {0, 0, 0, 0}, {"5", "4"}}};
  for (const Case &c : cases) {
    CAPTURE(c.said.back());
    CHECK(planStatus({3, 4, c.rowPtr, c.col, {1, 2, 3, 4}}) == SPECMV_STATUS_INVALID_MATRIX);
    for (const std::string &said : c.said)
      CHECK_MESSAGE(detailHas(said), detail());
  }
}

TEST_CASE("a matrix without rows or columns has no entries") {
  CHECK(planStatus({0, 4, {0}, {0, 0}, {1, 2}}) == SPECMV_STATUS_INVALID_MATRIX);
  CHECK(planStatus({2, 0, {0, 1, 2}, {0, 0}, {1, 2}}) == SPECMV_STATUS_INVALID_MATRIX);
}
