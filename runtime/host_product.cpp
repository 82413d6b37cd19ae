// Multiplies on the host: plain CSR, with the rows divided among the cores.
#include "runtime/host_product.h"

#include "models/base/parallel.h"

#include <algorithm>
#include <cassert>

namespace specmv {

// Rows are divided into ranges of about this many entries: enough work to be worth a thread.
constexpr int64_t kEntriesPerRange = 1 << 15;

template <class I, class Stored, class V>
static void multiplyRows(const CsrPattern<I> &a, const Stored *val, V alpha, const V *x, V beta,
                         V *y, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    V sum = 0;
    for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      sum += V(val[e]) * x[a.col[e]];
    y[row] = beta == V(0) ? alpha * sum : alpha * sum + beta * y[row];
  }
}

// Number of vectors whose sums are accumulated in one pass over a row.
constexpr int64_t kVectorsAtOnce = 8;

template <class I, class Stored, class V>
static void multiplySeveral(const CsrPattern<I> &a, const Stored *val, V alpha,
                            const HostVectors &v, V beta, int64_t begin, int64_t end) {
  const V *x = static_cast<const V *>(v.x);
  V *y = static_cast<V *>(v.y);
  for (int64_t row = begin; row < end; ++row)
    for (int64_t first = 0; first < v.count; first += kVectorsAtOnce) {
      const int64_t count = std::min(kVectorsAtOnce, v.count - first);
      V sums[kVectorsAtOnce] = {};
      for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
        for (int64_t j = 0; j < count; ++j)
          sums[j] += V(val[e]) * x[a.col[e] * v.strideX + (first + j) * v.stepX];
      for (int64_t j = 0; j < count; ++j) {
        V &out = y[row * v.strideY + (first + j) * v.stepY];
        out = beta == V(0) ? alpha * sums[j] : alpha * sums[j] + beta * out;
      }
    }
}

// Calls multiply(pattern, values, begin, end) for ranges of rows, on all cores.
template <class Multiply> static void forRows(const CsrView &a, const Multiply &multiply) {
  const int64_t meanLength = std::max<int64_t>(1, a.nnz / std::max<int64_t>(1, a.rows));
  const int64_t grain = std::max<int64_t>(1, kEntriesPerRange / meanLength);
  visitPattern(a, [&](auto pattern) {
    visitValues(a, [&](auto *val) {
      parallelFor(a.rows, grain,
                  [&](int64_t begin, int64_t end) { multiply(pattern, val, begin, end); });
    });
  });
}

// Calls f with a value of the vectors' type.
template <class F> static void withType(ValueType type, const F &f) {
  if (type == ValueType::f32)
    return f(float());
  return f(double());
}

void multiplyOnHost(const CsrView &a, ValueType vectorType, double alpha, const void *x,
                    double beta, void *y) {
  assert(vectorType == a.valueType || vectorType == ValueType::f64);
  withType(vectorType, [&](auto typed) {
    using V = decltype(typed);
    forRows(a, [&](const auto &pattern, auto *val, int64_t begin, int64_t end) {
      multiplyRows(pattern, val, static_cast<V>(alpha), static_cast<const V *>(x),
                   static_cast<V>(beta), static_cast<V *>(y), begin, end);
    });
  });
}

void multiplyOnHost(const CsrView &a, ValueType vectorType, double alpha,
                    const HostVectors &vectors, double beta) {
  assert(vectorType == a.valueType || vectorType == ValueType::f64);
  withType(vectorType, [&](auto typed) {
    using V = decltype(typed);
    forRows(a, [&](const auto &pattern, auto *val, int64_t begin, int64_t end) {
      multiplySeveral(pattern, val, static_cast<V>(alpha), vectors, static_cast<V>(beta), begin,
                      end);
    });
  });
}

} // namespace specmv
