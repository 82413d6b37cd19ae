// A matrix and vectors on the host, and the ready-made steps of specmv_fused.h as functions of
// them.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

namespace fusedtest {

using real = double; // NOLINT(readability-identifier-naming): the texts of steps name it so
using Vector = std::vector<real>;

struct Sparse {
  size_t cols = 0;
  std::vector<size_t> rowPtr{0}, col = {};
  Vector val = {};

  size_t rows() const { return rowPtr.size() - 1; }
  void add(size_t column, real value) {
    col.push_back(column);
    val.push_back(value);
  }
  void endRow() { rowPtr.push_back(col.size()); }
};

// A x, where x(j) is the element of column j.
template <class X> Vector multiplied(const Sparse &a, const X &x) {
  Vector out(a.rows());
  for (size_t i = 0; i < a.rows(); ++i)
    for (size_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      out[i] += a.val[e] * x(a.col[e]);
  return out;
}
inline Vector times(const Sparse &a, const Vector &x) {
  return multiplied(a, [&](size_t j) { return x[j]; });
}

// write_fused_steps writes these.
namespace steps {

// This is the function of templates/shared/fused.cuh.
inline real ratio(real a, real b) { return b == 0 ? 0 : a / b; }

#include "tests/fused_steps.h"
} // namespace steps

template <class... Vectors> std::vector<real *> dataOf(Vectors &...vectors) {
  return {vectors.data()...};
}

inline real dotOf(const Vector &a, const Vector &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), real(0));
}
inline Vector minus(Vector a, const Vector &b) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] -= b[i];
  return a;
}
inline real normOf(const Vector &a) { return std::sqrt(dotOf(a, a)); }

// Numbers between 0.5 and 1.5 without a pattern.
inline Vector someNumbers(size_t count) {
  Vector out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(1 + 0.5 * std::sin(static_cast<real>(i * i + i)));
  return out;
}

} // namespace fusedtest
