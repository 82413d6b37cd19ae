// Multiplies on the host: plain CSR, with the rows divided among the cores.
#include "runtime/host_product.h"

#include "models/base/parallel.h"

#include <algorithm>

namespace specmv {

// Rows are divided into ranges of about this many entries: enough work to be worth a thread.
constexpr int64_t kEntriesPerRange = 1 << 15;

template <class I, class V>
static void multiplyRows(const CsrPattern<I> &a, const V *val, V alpha, const V *x, V beta, V *y,
                         int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    V sum = 0;
    for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      sum += val[e] * x[a.col[e]];
    y[row] = beta == V(0) ? alpha * sum : alpha * sum + beta * y[row];
  }
}

void multiplyOnHost(const CsrView &a, double alpha, const void *x, double beta, void *y) {
  const int64_t meanLength = std::max<int64_t>(1, a.nnz / std::max<int64_t>(1, a.rows));
  const int64_t grain = std::max<int64_t>(1, kEntriesPerRange / meanLength);
  visitPattern(a, [&](auto pattern) {
    visitValues(a, [&](auto *val) {
      using V = std::remove_const_t<std::remove_pointer_t<decltype(val)>>;
      parallelFor(a.rows, grain, [&](int64_t begin, int64_t end) {
        multiplyRows(pattern, val, static_cast<V>(alpha), static_cast<const V *>(x),
                     static_cast<V>(beta), static_cast<V *>(y), begin, end);
      });
    });
  });
}

} // namespace specmv
