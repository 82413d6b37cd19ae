// Tests of the two checks of a product: a correct product passes both, and each planted error is
// found by the intended check.
#include "runtime/measure/verify.h"

#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace specmv;
using namespace specmv::testing;

namespace {

// A matrix with values of a type, which are not read: Verifier brings its own.
CsrView patternOf(const CsrMatrix &a, ValueType type) {
  CsrView view = a.view();
  view.valueType = type;
  view.val = nullptr;
  return view;
}

// The computation of one row; the default is correct.
struct Product {
  const CsrMatrix &a;
  bool ignoreBeta = false;
  int64_t wrongRow = -1, unwrittenRow = -1, zeroRow = -1;
  int64_t droppedEntry = -1;
  bool readYAlways = false;
  double (*round)(double) = [](double value) { return value; };

  double row(int64_t i, const Values &val, const Values &x) const {
    double sum = 0;
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      if (e != droppedEntry)
        sum += round(val.get(e)) * round(x.get(a.col[e]));
    return sum;
  }

  llvm::Error multiply(const Values &val, double alpha, const Values &x, double beta,
                       Values &y) const {
    for (int64_t i = 0; i < a.rows; ++i) {
      if (i == unwrittenRow)
        continue;
      double result = alpha * row(i, val, x);
      if (readYAlways || (beta != 0 && !ignoreBeta))
        result += beta * y.get(i);
      if (i == zeroRow)
        result = 0;
      if (i == wrongRow)
        result += 1;
      y.set(i, result);
    }
    return llvm::Error::success();
  }
};

ProductUnderTest underTest(const Product &product) {
  auto val = std::make_shared<const Values *>();
  return {[val](const Values &values) {
            *val = &values;
            return llvm::Error::success();
          },
          [val, &product](double alpha, const Values &x, double beta, Values &y) {
            return product.multiply(**val, alpha, x, beta, y);
          }};
}

Verification verified(const Product &product, ValueType type, bool betaCanBeNonZero = true) {
  const Verifier verifier(patternOf(product.a, type), betaCanBeNonZero);
  return llvm::cantFail(verifier.check(underTest(product)));
}

// Rounds to 8 bits: small integers are unchanged, other numbers are not.
double toBfloat(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 8)), exponent - 8);
}

CsrMatrix someMatrix() {
  return matrixOf("some", 300, 600, [](int64_t i) { return scattered(i, i % 40, 600); });
}

// 93,261 entries in row 3, as mip1-like matrices have.
CsrMatrix longRow() {
  return matrixOf("long row", 5, 100000,
                  [](int64_t i) { return i == 3 ? run(0, 93261) : run(i, 3); });
}

} // namespace

TEST_CASE("a right product passes both checks") {
  std::vector<CsrMatrix> matrices = edgeMatrices();
  matrices.push_back(longRow());
  for (const CsrMatrix &a : matrices)
    for (ValueType type : kTypes)
      for (bool beta : {true, false}) {
        CAPTURE(a.name);
        const Verification v = verified({a}, type, beta);
        CHECK(v.passed());
        CHECK(v.exact.maxErrorRatio == 0);
        CHECK(v.rounded.maxErrorRatio <= 1);
      }
}

TEST_CASE("several vectors: each is checked, in its place") {
  const CsrMatrix a = someMatrix();
  const Product right{a};
  constexpr int64_t kVectors = 130;
  // Multiplies vector by vector, and calls `spoil` with the rows of results.
  const auto several = [&](ValueType type, const std::function<void(Values &)> &spoil) {
    ProductUnderTest product = underTest(right);
    const auto one = product.multiply;
    product.vectors = kVectors;
    product.multiply = [=, &a](double alpha, const Values &xs, double beta,
                               Values &ys) -> llvm::Error {
      Values x(type, a.cols), y(type, a.rows);
      for (int64_t j = 0; j < kVectors; ++j) {
        for (int64_t i = 0; i < a.cols; ++i)
          x.set(i, xs.get(i * kVectors + j));
        for (int64_t i = 0; i < a.rows; ++i)
          y.set(i, ys.get(i * kVectors + j));
        llvm::cantFail(one(alpha, x, beta, y));
        for (int64_t i = 0; i < a.rows; ++i)
          ys.set(i * kVectors + j, y.get(i));
      }
      spoil(ys);
      return llvm::Error::success();
    };
    return llvm::cantFail(Verifier(patternOf(a, type), true).check(product));
  };
  for (ValueType type : kTypes) {
    CHECK(several(type, [](Values &) {}).passed());
    for (int64_t vector : {0, 7, 129}) {
      const Verification v = several(type, [&](Values &y) {
        y.set(123 * kVectors + vector, y.get(123 * kVectors + vector) * 1.01);
      });
      CHECK_FALSE(v.exact.passed);
      CHECK_FALSE(v.rounded.passed);
      CHECK(v.exact.row == 123);
      CHECK(v.exact.vector == vector);
    }
    // Exchanges any two vectors of a pass.
    for (int64_t other = 1; other < 16; ++other)
      CHECK_FALSE(several(type, [&](Values &y) {
                    const double first = y.get(123 * kVectors);
                    y.set(123 * kVectors, y.get(123 * kVectors + other));
                    y.set(123 * kVectors + other, first);
                  }).exact.passed);
  }
}

TEST_CASE("one wrong row is found and named by both checks") {
  const CsrMatrix a = someMatrix();
  for (ValueType type : kTypes)
    for (int64_t row : {0, 123, 299}) {
      const Verification v = verified({.a = a, .wrongRow = row}, type);
      CHECK_FALSE(v.passed());
      CHECK_FALSE(v.exact.passed);
      CHECK_FALSE(v.rounded.passed);
      CHECK(v.exact.row == row);
      CHECK(v.rounded.row == row);
      CHECK(v.exact.got == v.exact.want + 1);
      CHECK(v.rounded.maxErrorRatio > 1);
    }
}

TEST_CASE("a row that is never written is found, also an empty one") {
  const CsrMatrix a = someMatrix();
  for (ValueType type : kTypes)
    for (bool beta : {true, false})
      for (int64_t row : {40, 299}) { // row 40 is empty
        const Verification v = verified({.a = a, .unwrittenRow = row}, type, beta);
        CHECK_FALSE(v.exact.passed);
        CHECK_FALSE(v.rounded.passed);
        CHECK(v.exact.row == row);
        CHECK(std::isinf(v.exact.maxErrorRatio));
        CHECK(std::isinf(v.rounded.maxErrorRatio));
      }
}

TEST_CASE("an ignored beta is found where beta may be other than 0, and only there") {
  const CsrMatrix a = someMatrix();
  for (ValueType type : kTypes) {
    const Verification v = verified({.a = a, .ignoreBeta = true}, type);
    CHECK_FALSE(v.exact.passed);
    CHECK_FALSE(v.rounded.passed);
    CHECK(verified({.a = a, .ignoreBeta = true}, type, false).passed());
  }
}

TEST_CASE("y that is read where beta is 0 is found: it is poisoned") {
  const CsrMatrix a = someMatrix();
  for (ValueType type : kTypes)
    CHECK_FALSE(verified({.a = a, .readYAlways = true}, type, false).exact.passed);
}

TEST_CASE("the last entry of the longest row must not be dropped") {
  const CsrMatrix some = someMatrix(), row = longRow();
  for (ValueType type : kTypes) {
    const Verification v = verified({.a = some, .droppedEntry = some.rowPtr[40] - 1}, type);
    CHECK_FALSE(v.exact.passed);
    CHECK(v.exact.row == 39);
    const Verification longer = verified({.a = row, .droppedEntry = row.rowPtr[4] - 1}, type);
    CHECK_FALSE(longer.exact.passed);
    CHECK(longer.exact.row == 3);
  }
}

TEST_CASE("a long row that is 0 is found") {
  const CsrMatrix a = longRow();
  REQUIRE(a.rowPtr[4] - a.rowPtr[3] == 93261);
  for (ValueType type : kTypes) {
    const Verification v = verified({.a = a, .zeroRow = 3}, type);
    CHECK_FALSE(v.exact.passed);
    CHECK(v.exact.row == 3);
    CHECK_FALSE(v.rounded.passed);
  }
}

TEST_CASE("rounding far above the bound is found by the rounded check, which is what it is for") {
  const CsrMatrix a = someMatrix();
  for (ValueType type : kTypes) {
    const Verification v = verified({.a = a, .round = toBfloat}, type);
    CHECK(v.exact.passed);
    CHECK_FALSE(v.rounded.passed);
    CHECK(v.rounded.maxErrorRatio > 100);
  }
  // Single precision in a double product.
  const Verification v =
      verified({.a = a, .round = [](double value) { return double{static_cast<float>(value)}; }},
               ValueType::f64);
  CHECK(v.exact.passed);
  CHECK_FALSE(v.rounded.passed);
}

TEST_CASE("a product that fails is an error and not a result") {
  const CsrMatrix a = someMatrix();
  const Verifier verifier(patternOf(a, ValueType::f64), true);
  const auto missing = [](auto &&...) { return fail(Status::missing, "no device"); };
  const Product right{.a = a};
  ProductUnderTest product = underTest(right);
  product.multiply = missing;
  ProductUnderTest unset = underTest(right);
  unset.setValues = missing;
  for (const ProductUnderTest &failing : {product, unset}) {
    auto v = verifier.check(failing);
    REQUIRE_FALSE(static_cast<bool>(v));
    CHECK(describe(v.takeError()).first == Status::missing);
  }
}

TEST_CASE("one verifier judges each product by itself") {
  const CsrMatrix a = someMatrix();
  const Product right{.a = a}, wrong{.a = a, .wrongRow = 7};
  const Verifier verifier(patternOf(a, ValueType::f64), true);
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(llvm::cantFail(verifier.check(underTest(wrong))).passed());
    CHECK(llvm::cantFail(verifier.check(underTest(right))).passed());
  }
}

TEST_CASE("the reference and its bound are those of the formulas") {
  // y = 2 A x + 3 y0 with A = [1 -2; 0 0], x = (10, 1), y0 = (4, 5).
  const CsrMatrix a = matrixOf("2x2", 2, 2, [](int64_t i) { return i == 0 ? Row{0, 1} : Row{}; });
  Values val(ValueType::f64, 2), x(ValueType::f64, 2);
  val.f64 = {1, -2};
  x.f64 = {10, 1};
  const Reference r = reference(a.view(), val, 2, x);
  CHECK(r.value(0, 3, 4) == 28); // 2 (10 - 2) + 12
  CHECK(r.value(1, 3, 5) == 15);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(r.value(0, 0, nan) == 16);                // beta = 0 never reads y
  CHECK(r.sumOfAbsolute(0, 3, 4) == 2 * 12 + 12); // |alpha| sum |a x| + |beta y0|
  CHECK(r.sumOfAbsolute(1, 3, 5) == 15);
  CHECK(r.sumOfAbsolute(0, 0, nan) == 2 * 12);
  CHECK(r.length == std::vector<float>{2, 0});
}

TEST_CASE("values are rounded to nearest when they change their type") {
  CsrMatrix a = matrixOf("1x3", 1, 3, [](int64_t) { return run(0, 3); });
  a.val = {0.1, 1 + 0x1p-24, 1 + 0x1.8p-23};
  const Values single = converted(a.view(), ValueType::f32);
  REQUIRE(single.count() == 3);
  CHECK(single.f32 == std::vector<float>{0.1F, 1.0F, 1.0F + 0x1p-22F});
  CHECK(converted(a.view(), ValueType::f64).f64 == a.val);
}
