// Tests of the product on the host against sums written out here.
#include "runtime/host_product.h"

#include "models/base/parallel.h"
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

namespace {

// Rows of these lengths, which begin at column 0, with values and x that are no short sums.
template <class V> struct RowsOf {
  explicit RowsOf(const std::vector<int64_t> &lengths) {
    for (const int64_t length : lengths) {
      cols = std::max(cols, length);
      for (int64_t k = 0; k < length; ++k) {
        col.push_back(static_cast<int32_t>(k));
        val.push_back(static_cast<V>(0.1) + static_cast<V>(col.size() % 7));
      }
      rowPtr.push_back(static_cast<int32_t>(col.size()));
    }
    for (int64_t j = 0; j < 3 * cols; ++j) // of up to three vectors
      x.push_back(static_cast<V>(1.0 / static_cast<double>(j % 1000 + 3)));
  }
  int64_t rows() const { return std::ssize(rowPtr) - 1; }
  CsrView view() const {
    return {rows(),     cols,          std::ssize(col), IndexType::i32,
            kValueType, rowPtr.data(), col.data(),      val.data()};
  }
  std::vector<V> product() const {
    std::vector<V> y(static_cast<size_t>(rows()));
    multiplyOnHost(view(), 1, x.data(), 0, y.data());
    return y;
  }

  static constexpr ValueType kValueType = sizeof(V) == 4 ? ValueType::f32 : ValueType::f64;
  int64_t cols = 0;
  std::vector<int32_t> rowPtr{0}, col;
  std::vector<V> val, x;
};

// The order of additions that the header promises.
template <class V> V sumOfGroups(const std::vector<V> &terms, size_t begin, size_t end) {
  V sum = 0;
  if (end - begin > 64) {
    size_t half = 64;
    while (2 * half < end - begin)
      half *= 2;
    return sumOfGroups(terms, begin, begin + half) + sumOfGroups(terms, begin + half, end);
  }
  for (size_t k = begin; k < end; ++k)
    sum += terms[k];
  return sum;
}

// Around every length at which the sums are divided in another way.
const std::vector<int64_t> kLengths{0,     1,     63,    64,    65,    127,   128,    129,   3000,
                                    32767, 32768, 32769, 65535, 65536, 65537, 100000, 131073};

} // namespace

TEST_CASE_TEMPLATE("the entries of a row are added in groups, whose sums form a tree", V, float,
                   double) {
  const RowsOf<V> a(kLengths);
  std::vector<V> expected;
  for (size_t row = 0; row < kLengths.size(); ++row) {
    std::vector<V> terms;
    for (auto e = static_cast<size_t>(a.rowPtr[row]); e < static_cast<size_t>(a.rowPtr[row + 1]);
         ++e)
      terms.push_back(a.val[e] * a.x[static_cast<size_t>(a.col[e])]);
    expected.push_back(sumOfGroups(terms, 0, terms.size()));
  }
  CHECK(a.product() == expected);
}

TEST_CASE_TEMPLATE("a row has the same bits for any number of threads and of vectors", V, float,
                   double) {
  const RowsOf<V> a(kLengths);
  const std::vector<V> y = a.product();
  const auto rows = static_cast<size_t>(a.rows());
  for (const unsigned threads : {1U, 2U, 3U, 16U}) {
    CAPTURE(threads);
    const ThreadLimit limit(threads);
    CHECK(a.product() == y);
    for (const int64_t count : {1, 3, 11}) {
      CAPTURE(count);
      std::vector<V> all(rows * static_cast<size_t>(count));
      // Vector j begins at element j of x, and is column j of Y.
      multiplyOnHost(a.view(), 1, {count, a.x.data(), 1, 1, all.data(), count, 1}, 0);
      for (size_t row = 0; row < rows; ++row)
        CHECK(all[row * static_cast<size_t>(count)] == y[row]);
    }
  }
}

// A former bug: entries were added one by one.
TEST_CASE("a long row in float is as exact as a kernel's, and ones are counted beyond 2^24") {
  for (const int64_t n : {1000, 100000, 1000000}) {
    CAPTURE(n);
    const std::vector<int32_t> rowPtr{0, static_cast<int32_t>(n)}, col(static_cast<size_t>(n), 0);
    const std::vector<float> val(static_cast<size_t>(n), 0.1F);
    const float x = 1;
    float y = 0;
    const CsrView a{1, 1, n, IndexType::i32, ValueType::f32, rowPtr.data(), col.data(), val.data()};
    multiplyOnHost(a, 1, &x, 0, &y);
    const double exact = static_cast<double>(0.1F) * static_cast<double>(n);
    CHECK(std::abs(y - exact) < 1e-5 * exact);
  }
  constexpr int32_t kOnes = (1 << 24) + 6;
  const std::vector<int32_t> rowPtr{0, kOnes}, col(kOnes, 0);
  const std::vector<float> val(kOnes, 1);
  const float x = 1;
  float y = 0;
  multiplyOnHost(
      {1, 1, kOnes, IndexType::i32, ValueType::f32, rowPtr.data(), col.data(), val.data()}, 1, &x,
      0, &y);
  CHECK(y == static_cast<float>(kOnes));
}
