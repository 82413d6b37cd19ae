// Tests of the product on the host against sums written out here.
#include "runtime/host_product.h"

#include "models/lab/families/families.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// y = alpha A x + beta y by long double, exact for the integers of Valued and small x.
template <class V>
std::vector<V> product(const CsrMatrix &a, const Valued &val, double alpha, const std::vector<V> &x,
                       double beta, const std::vector<V> &y) {
  std::vector<V> out;
  for (int64_t i = 0; i < a.rows; ++i) {
    long double sum = 0;
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      sum += static_cast<long double>(val[e]) * x[static_cast<size_t>(a.col[e])];
    out.push_back(static_cast<V>(alpha * sum));
    if (beta != 0)
      out.back() += static_cast<V>(beta) * y[static_cast<size_t>(i)];
  }
  return out;
}

template <class V> void checkProduct(const CsrMatrix &a, const CsrView &pattern) {
  const ValueType type = sizeof(V) == 4 ? ValueType::f32 : ValueType::f64;
  const Valued val(pattern, type, 1);
  std::vector<V> x, y0;
  for (int64_t j = 0; j < a.cols; ++j)
    x.push_back(static_cast<V>(j % 17 - 8));
  for (int64_t i = 0; i < a.rows; ++i)
    y0.push_back(static_cast<V>(i % 5 - 2));
  for (const auto &factors : {std::pair{1.0, 0.0}, {-2.0, 1.0}, {0.5, -3.0}, {0.0, 2.0}}) {
    const double alpha = factors.first, beta = factors.second;
    CAPTURE(a.name);
    CAPTURE(alpha);
    CAPTURE(beta);
    std::vector<V> y = y0;
    if (beta == 0)
      std::fill(y.begin(), y.end(), static_cast<V>(kNan));
    multiplyOnHost(val.view(), alpha, x.data(), beta, y.data());
    CHECK(y == product(a, val, alpha, x, beta, y0));
  }
}

} // namespace

TEST_CASE("the product on the host is the sum over each row, in both types and index types") {
  std::vector<CsrMatrix> matrices = edgeMatrices();
  // More rows and entries than a thread takes at a time, and a row that is a range of its own.
  matrices.push_back(llvm::cantFail(generateFamily("stencil5:n=200")));
  matrices.push_back(matrixOf("long rows", 7, 50000, [](int64_t i) { return run(0, 7000 * i); }));
  for (const CsrMatrix &a : matrices) {
    const WideMatrix wide(a);
    checkProduct<float>(a, a.view());
    checkProduct<double>(a, a.view());
    checkProduct<float>(a, wide.view());
    checkProduct<double>(a, wide.view());
  }
}

TEST_CASE("NaN and infinity in x reach the rows with an entry in their columns, and no others") {
  const CsrMatrix a = matrixOf("scattered", 300, 60, [](int64_t i) { return scattered(i, 3, 60); });
  const Valued val(a.view(), ValueType::f64, 1);
  std::vector<double> x(60, 1.0), y(300, kNan);
  x[17] = kNan;
  x[40] = std::numeric_limits<double>::infinity();
  multiplyOnHost(val.view(), 1, x.data(), 0, y.data());
  int reached = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    bool odd = false;
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      odd |= a.col[e] == 17 || a.col[e] == 40;
    CHECK(std::isfinite(y[static_cast<size_t>(i)]) != odd);
    reached += odd;
  }
  CHECK(reached > 5);
}

TEST_CASE("beta = 0 never reads y, and -0 is 0") {
  const CsrMatrix a = evenMatrix(10, 2);
  const Valued val(a.view(), ValueType::f64, 1);
  const std::vector<double> x(12, 1.0);
  for (double beta : {0.0, -0.0}) {
    std::vector<double> y(10, kNan);
    multiplyOnHost(val.view(), 1, x.data(), beta, y.data());
    CHECK(std::none_of(y.begin(), y.end(), [](double v) { return std::isnan(v); }));
  }
}

TEST_CASE("the result does not change from run to run") {
  const CsrMatrix a = llvm::cantFail(generateFamily("band:n=5000,k=40,half=900"));
  std::vector<double> x, first(5000), again(5000);
  for (int64_t j = 0; j < 5000; ++j)
    x.push_back(std::sin(static_cast<double>(j)));
  multiplyOnHost(a.view(), 1.1, x.data(), 0, first.data());
  for (int round = 0; round < 5; ++round) {
    multiplyOnHost(a.view(), 1.1, x.data(), 0, again.data());
    CHECK(again == first);
  }
}
