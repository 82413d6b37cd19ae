// Tests of the error of a product's element, and of the checks of products by values that are not
// finite, overflow or underflow.
#include "runtime/measure/product_error.h"

#include "runtime/host_product.h"
#include "runtime/measure/verify.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// 300 rows of 0 to 39 entries.
CsrMatrix unevenRows() {
  return matrixOf("uneven", 300, 600, [](int64_t i) { return scattered(i, i % 40, 600); });
}

// The host's product of several vectors, which `spoil` may change.
ProductUnderTest hostProduct(
    const CsrView &a, int64_t vectors,
    const std::function<void(Values &)> &spoil = [](Values &) {}) {
  auto view = std::make_shared<CsrView>(a);
  return {
      [view](const Values &values) {
        view->val = values.data();
        return llvm::Error::success();
      },
      [=](double alpha, const Values &x, double beta, Values &y) {
        multiplyOnHost(*view, alpha, {vectors, x.data(), vectors, 1, y.data(), vectors, 1}, beta);
        spoil(y);
        return llvm::Error::success();
      },
      vectors};
}

// The verifier of a matrix that has these values, in turn, and keeps them.
struct OwnValues {
  CsrMatrix a;
  Values val;
  CsrView view;
  Verifier verifier;

  OwnValues(CsrMatrix pattern, const std::vector<double> &values, ValueType type)
      : a(withValues(std::move(pattern), values)), val(converted(a.view(), type)),
        view(viewOf(a, val)), verifier(view, true, CheckedValues::own) {}
  OwnValues(const OwnValues &) = delete;

  static CsrMatrix withValues(CsrMatrix to, const std::vector<double> &values) {
    for (size_t e = 0; e < to.col.size(); ++e)
      to.val.push_back(values[e % values.size()]);
    return to;
  }
  static CsrView viewOf(const CsrMatrix &a, const Values &val) {
    CsrView out = a.view();
    out.valueType = val.type;
    out.val = val.data();
    return out;
  }
  Verification of(const ProductUnderTest &product) const {
    return llvm::cantFail(verifier.check(product));
  }
};

} // namespace

TEST_CASE("the bound of a finite element is 4 eps sqrt(L + 3) times the sum of absolute values") {
  CHECK(static_cast<double>(productError(28.5, 28, 36, 2)) ==
        doctest::Approx(0.5 / (4 * 0x1p-52 * std::sqrt(5.0) * 36)));
  CHECK(static_cast<double>(productError(15.5F, 15, 15, 0)) ==
        doctest::Approx(0.5 / (4 * 0x1p-23 * std::sqrt(3.0) * 15)));
}

TEST_CASE("infinities and NaN are right where the reference has them or sums may overflow") {
  const auto isRight = [](double got, long double want, long double magnitude) {
    return productError(got, want, magnitude, 2) <= 1;
  };
  CHECK(isRight(kNoNumber, kNoNumber, 1));
  CHECK(isRight(kInf, kInf, 1));
  CHECK(isRight(-kInf, -kInf, 1));
  for (const double wrong : {0.0, 1e308, kInf, -kInf})
    CHECK_FALSE(isRight(wrong, kNoNumber, 1e309L));
  for (const double wrong : {0.0, 1e308, kNoNumber, -kInf})
    CHECK_FALSE(isRight(wrong, kInf, 1));
  for (const double wrong : {kNoNumber, kInf, -kInf}) {
    CHECK_FALSE(isRight(wrong, 0, 0));
    CHECK_FALSE(isRight(wrong, 5e307L, 8e307L));
    CHECK(isRight(wrong, 0, 1.8e308L));
    CHECK(isRight(wrong, 5e307L, kInf)); // a magnitude beyond double
    CHECK(isRight(wrong, kNoNumber, 1e309L) == std::isnan(wrong));
  }
  CHECK(productError(std::numeric_limits<float>::infinity(), 4e38L, 4e38L, 1) == 0);
  CHECK(productError(std::numeric_limits<float>::infinity(), 1e38L, 1e38L, 1) > 1);
}

TEST_CASE("a finite result is within the bound also where sums may overflow or underflow") {
  for (const long double magnitude : {2e308L, 1e4000L}) {
    CHECK(productError(0x1p1023, 0x1p1023L, magnitude, 2) == 0);
    CHECK(productError(0x1p1023, 0x1.0000000000001p1023L, magnitude, 2) <= 1);
    CHECK(productError(0x1p1023, 0x1.0000000001p1023L, magnitude, 2) > 1);
  }
  CHECK(productError(0.0, 0x1p-1075L, 0x1p-1075L, 1) <= 1);
  CHECK(productError(0x1p-1070, 0x1p-1070L + 0x3p-1074L, 0x1p-1069L, 1) <= 1);
  CHECK(productError(0x1p-1070, 0x1p-1070L + 0x4p-1074L, 0x1p-1069L, 1) > 1);
  CHECK(productError(0x1p-140F, 0x1p-140L + 0x4p-149L, 0x1p-139L, 1) > 1);
}

// A former bug: such products were wrong to the check, "nan, but must be nan".
TEST_CASE("a right product by values that are not finite, overflow or underflow passes") {
  const double most = std::numeric_limits<double>::max(), least = 0x1p-1074;
  const std::vector<double> cases[] = {{kNoNumber},    {kNoNumber, 2, 2, 2, 2, 2, 2},
                                       {kInf},         {kInf, -kInf, 1, 1},
                                       {1.7e308},      {most, -most},
                                       {0.6 * most},   {most, kInf, -most, 1, 1},
                                       {least},        {1e-310, 3e-309},
                                       {1e38, -2e38},  {3e38},
                                       {1e-40},        {0x1p-149, -0x3p-149},
                                       {1e-300, 1e300}};
  for (const std::vector<double> &values : cases)
    for (ValueType type : kTypes) {
      CAPTURE(values.front());
      const OwnValues own(unevenRows(), values, type);
      for (int64_t vectors : {1, 13}) {
        const Verification v = own.of(hostProduct(own.view, vectors));
        CHECK(v.passed());
        CHECK(v.rounded.maxErrorRatio <= 1);
      }
    }
}

TEST_CASE("a wrong product by values that are not finite, overflow or underflow is found") {
  constexpr int64_t kRow = 123; // of 3 entries
  const auto found = [](const std::vector<double> &values, ValueType type,
                        const std::function<double(double)> &wrong) {
    const OwnValues own(unevenRows(), values, type);
    const Verification v =
        own.of(hostProduct(own.view, 1, [&](Values &y) { y.set(kRow, wrong(y.get(kRow))); }));
    const CheckResult &bad = v.exact.passed ? v.rounded : v.exact;
    return !v.passed() && bad.row == kRow;
  };
  const auto to = [](double value) { return [=](double) { return value; }; };
  for (ValueType type : kTypes) {
    for (const double wrong : {0.0, 1.0, kInf, -kInf})
      CHECK(found({kNoNumber}, type, to(wrong)));
    for (const double wrong : {0.0, 1.0, kNoNumber})
      CHECK(found({kInf, 1, 1}, type, to(wrong)));
    CHECK(found({kInf, 1, 1}, type, [](double right) { return -right; }));
    for (const double wrong : {kNoNumber, kInf, -kInf})
      CHECK(found({0.1, 3e30}, type, to(wrong)));
    CHECK(found({0.1, 3e30}, type, [](double right) { return 1.001 * right; }));
    CHECK(found({1e-40}, type, [](double right) { return right + 0x1p-144; }));
    CHECK(found({0x1p-149}, type, [](double right) { return right + 0x1p-144; }));
  }
  CHECK(found({0x1p-1074}, ValueType::f64, [](double right) { return right + 0x8p-1074; }));
  CHECK(found({1.7e308}, ValueType::f64, to(0)));
}
