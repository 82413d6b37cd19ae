// Multiplies on the host: plain CSR, with the rows divided among the cores.
#include "runtime/host_product.h"

#include "models/base/numbers.h"
#include "models/base/parallel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <mutex>
#include <type_traits>
#include <vector>

namespace specmv {

// Entries that are added one after the other. A sum of many is made of such partial sums, as in the
// kernels for a GPU: added one by one, 10^6 values in float have an error of a percent.
constexpr int64_t kAddedInOrder = 64;
// Rows are divided into ranges of about this many entries: enough work to be worth a thread. A
// longer row is divided into segments of so many, which threads share.
constexpr int64_t kEntriesPerRange = 1 << 15;
static_assert(std::has_single_bit(uint64_t{kAddedInOrder}) &&
              std::has_single_bit(uint64_t{kEntriesPerRange}));

// Adds the parts of a range as a binary tree: leaf(begin, end) returns the sums of at most `most`
// entries. The left half of a range has a power of two of them, so the tree over segments is the
// upper part of the tree over entries: a row has the same bits however threads share it.
template <class Leaf>
static auto sumOfTree(int64_t begin, int64_t end, int64_t most, const Leaf &leaf)
    -> decltype(leaf(begin, end)) {
  const int64_t count = end - begin;
  if (count <= most)
    return leaf(begin, end);
  const auto half = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count - 1)));
  auto sums = sumOfTree(begin, begin + half, most, leaf);
  const auto right = sumOfTree(begin + half, end, most, leaf);
  for (size_t j = 0; j < sums.size(); ++j)
    sums[j] += right[j];
  return sums;
}

namespace {
// A product with one vector.
template <class I, class Stored, class V> struct ProductOfOne {
  using Sums = std::array<V, 1>;
  CsrPattern<I> a;
  Stored *val;
  const V *x;
  V *y;
  V alpha, beta;

  static constexpr int64_t passes() { return 1; }
  Sums sumInOrder(int64_t /*pass*/, int64_t begin, int64_t end) const {
    V sum = 0;
    for (int64_t e = begin; e < end; ++e)
      sum += V(val[e]) * x[a.col[e]];
    return {sum};
  }
  void store(int64_t /*pass*/, int64_t row, const Sums &sums) const {
    y[row] = beta == V(0) ? alpha * sums[0] : alpha * sums[0] + beta * y[row];
  }
};

// Number of vectors whose sums are accumulated in one pass over a row.
constexpr int64_t kVectorsAtOnce = 8;

// A product with several vectors, which takes several passes if they are many.
template <class I, class Stored, class V> struct ProductOfSeveral {
  using Sums = std::array<V, kVectorsAtOnce>;
  CsrPattern<I> a;
  Stored *val;
  HostVectors v;
  V alpha, beta;

  int64_t passes() const { return ceilDiv(v.count, kVectorsAtOnce); }
  int64_t vectorsOf(int64_t pass) const {
    return std::min(kVectorsAtOnce, v.count - pass * kVectorsAtOnce);
  }
  Sums sumInOrder(int64_t pass, int64_t begin, int64_t end) const {
    const V *x = static_cast<const V *>(v.x); // null if the matrix has no columns
    const int64_t first = pass * kVectorsAtOnce * v.stepX, count = vectorsOf(pass);
    Sums sums = {};
    for (int64_t e = begin; e < end; ++e)
      for (int64_t j = 0; j < count; ++j)
        sums[static_cast<size_t>(j)] += V(val[e]) * x[a.col[e] * v.strideX + first + j * v.stepX];
    return sums;
  }
  void store(int64_t pass, int64_t row, const Sums &sums) const {
    V *y = static_cast<V *>(v.y) + row * v.strideY + pass * kVectorsAtOnce * v.stepY;
    for (int64_t j = 0; j < vectorsOf(pass); ++j) {
      V &out = y[j * v.stepY];
      const V sum = sums[static_cast<size_t>(j)];
      out = beta == V(0) ? alpha * sum : alpha * sum + beta * out;
    }
  }
};

// The segments of rows that threads share. Its memory suffices for any rows, so that nothing fails
// after the first row is stored.
template <class Sums> class Segments {
public:
  explicit Segments(int64_t nnz) : sums(static_cast<size_t>(2 * nnz / kEntriesPerRange)) {
    all.reserve(sums.size());
  }
  void add(int64_t row, int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex_);
    for (; begin < end; begin += kEntriesPerRange)
      all.push_back({row, begin, std::min(begin + kEntriesPerRange, end)});
  }

  struct Segment {
    int64_t row, begin, end;
  };
  std::vector<Segment> all; // those of a row are neighbours
  std::vector<Sums> sums;

private:
  std::mutex mutex_;
};
} // namespace

template <class Product>
static auto sumOf(const Product &product, int64_t pass, int64_t begin, int64_t end) {
  return sumOfTree(begin, end, kAddedInOrder, [&](int64_t first, int64_t last) {
    return product.sumInOrder(pass, first, last);
  });
}

// Multiplies a range of rows, except the long ones.
template <class Product>
static void multiplyRows(const Product &product, int64_t firstRow, int64_t lastRow,
                         Segments<typename Product::Sums> &shared) {
  for (int64_t row = firstRow; row < lastRow; ++row) {
    const int64_t begin = product.a.rowPtr[row], end = product.a.rowPtr[row + 1];
    if (end - begin > kEntriesPerRange) {
      shared.add(row, begin, end);
      continue;
    }
    for (int64_t pass = 0; pass < product.passes(); ++pass)
      product.store(pass, row, sumOf(product, pass, begin, end));
  }
}

template <class Product>
static void multiplyShared(const Product &product, Segments<typename Product::Sums> &shared) {
  const auto count = static_cast<int64_t>(shared.all.size());
  for (int64_t pass = 0; pass < product.passes() && count > 0; ++pass) {
    parallelFor(count, 1, [&](int64_t first, int64_t /*last*/) {
      const auto &segment = shared.all[static_cast<size_t>(first)];
      shared.sums[static_cast<size_t>(first)] = sumOf(product, pass, segment.begin, segment.end);
    });
    for (int64_t at = 0; at < count;) {
      const int64_t row = shared.all[static_cast<size_t>(at)].row,
                    length = product.a.rowPtr[row + 1] - product.a.rowPtr[row];
      product.store(pass, row, sumOfTree(0, length, kEntriesPerRange, [&](int64_t begin, int64_t) {
                      return shared.sums[static_cast<size_t>(at + begin / kEntriesPerRange)];
                    }));
      at += ceilDiv(length, kEntriesPerRange);
    }
  }
}

// Multiplies all rows, on all cores.
template <class Product> static void multiplyAll(const CsrView &a, const Product &product) {
  const int64_t meanLength = std::max<int64_t>(1, a.nnz / std::max<int64_t>(1, a.rows));
  const int64_t grain = std::max<int64_t>(1, kEntriesPerRange / meanLength);
  Segments<typename Product::Sums> shared(a.nnz);
  parallelFor(a.rows, grain,
              [&](int64_t begin, int64_t end) { multiplyRows(product, begin, end, shared); });
  multiplyShared(product, shared);
}

template <class Pattern> using IndexOf = typename std::decay_t<Pattern>::Index;

// Calls f(pattern, values, v), where v is of the vectors' type.
template <class F> static void withAllTypes(const CsrView &a, ValueType vectorType, const F &f) {
  visitPattern(a, [&](const auto &pattern) {
    visitValues(a, [&](auto *val) {
      if (vectorType == ValueType::f32)
        return f(pattern, val, float());
      f(pattern, val, double());
    });
  });
}

void multiplyOnHost(const CsrView &a, ValueType vectorType, double alpha, const void *x,
                    double beta, void *y) {
  assert(vectorType == a.valueType || vectorType == ValueType::f64);
  withAllTypes(a, vectorType, [&](const auto &pattern, auto *val, auto typed) {
    using V = decltype(typed);
    using Product =
        ProductOfOne<IndexOf<decltype(pattern)>, std::remove_pointer_t<decltype(val)>, V>;
    multiplyAll(a, Product{pattern, val, static_cast<const V *>(x), static_cast<V *>(y),
                           static_cast<V>(alpha), static_cast<V>(beta)});
  });
}

void multiplyOnHost(const CsrView &a, ValueType vectorType, double alpha,
                    const HostVectors &vectors, double beta) {
  assert(vectorType == a.valueType || vectorType == ValueType::f64);
  withAllTypes(a, vectorType, [&](const auto &pattern, auto *val, auto typed) {
    using V = decltype(typed);
    using Product =
        ProductOfSeveral<IndexOf<decltype(pattern)>, std::remove_pointer_t<decltype(val)>, V>;
    multiplyAll(a, Product{pattern, val, vectors, static_cast<V>(alpha), static_cast<V>(beta)});
  });
}

} // namespace specmv
