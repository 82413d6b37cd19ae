// Sums normal equations over sparse rows, and factorizes them by Cholesky's method.
#include "runtime/lab/evaluate/least_squares.h"

#include <algorithm>
#include <cmath>

namespace specmv {

void NormalEquations::add(const SparseRow &slopes, double error, double weight) {
  for (size_t a = 0; a < slopes.size(); ++a) {
    const auto [unknown, slope] = slopes[a];
    gradient_[unknown] += weight * slope * error;
    for (size_t b = 0; b <= a; ++b)
      at(unknown, slopes[b].first) += weight * slope * slopes[b].second;
  }
}

void NormalEquations::add(size_t unknown, double error, double weight) {
  gradient_[unknown] += weight * error;
  at(unknown, unknown) += weight;
}

void NormalEquations::hold(size_t unknown) {
  for (size_t i = 0; i < gradient_.size(); ++i)
    at(std::max(i, unknown), std::min(i, unknown)) = i == unknown ? 1 : 0;
  gradient_[unknown] = 0;
}

// Replaces the lower triangle by the factor L of L L^T; false if there is none.
static bool factorize(std::vector<double> &a, size_t n) {
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      double rest = a[i * n + j];
      for (size_t k = 0; k < j; ++k)
        rest -= a[i * n + k] * a[j * n + k];
      if (i > j)
        a[i * n + j] = rest / a[j * n + j];
      else if (rest > 0)
        a[j * n + j] = std::sqrt(rest);
      else
        return false;
    }
  return true;
}

std::optional<std::vector<double>> NormalEquations::step(double damping) const {
  const size_t n = gradient_.size();
  std::vector<double> l = curvature_, x = gradient_;
  for (size_t i = 0; i < n; ++i)
    l[i * n + i] *= 1 + damping;
  if (!factorize(l, n))
    return std::nullopt;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k)
      x[i] -= l[i * n + k] * x[k];
    x[i] /= l[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k)
      x[i] -= l[k * n + i] * x[k];
    x[i] /= l[i * n + i];
  }
  for (double &each : x)
    each = -each;
  return x;
}

} // namespace specmv
