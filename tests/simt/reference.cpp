// The reference product, row by row.
#include "tests/simt/reference.h"

#include <cfloat>
#include <cmath>

namespace specmv::simt {

Reference reference(const TestMatrix &a, const std::vector<double> &values, double alpha,
                    const std::vector<double> &x, double beta, const std::vector<double> &y,
                    ValueType type) {
  // 4 eps sqrt(L + 3): the rounding errors of L products and sums in any order behave like a random
  // walk; alpha, beta and the last sum add three more; 4 is the margin for the worst row.
  const long double eps = type == ValueType::f32 ? FLT_EPSILON : DBL_EPSILON;
  Reference out;
  for (size_t i = 0; i + 1 < a.rowPtr.size(); ++i) {
    long double sum = 0, magnitude = 0;
    for (auto e = static_cast<size_t>(a.rowPtr[i]); e < static_cast<size_t>(a.rowPtr[i + 1]); ++e) {
      const long double product =
          static_cast<long double>(values[e]) * x[static_cast<size_t>(a.col[e])];
      sum += product;
      magnitude += std::fabs(product);
    }
    const long double before = beta == 0 ? 0 : beta * static_cast<long double>(y[i]);
    const auto length = static_cast<long double>(a.rowPtr[i + 1] - a.rowPtr[i]);
    out.y.push_back(alpha * sum + before);
    out.bound.push_back(4 * eps * std::sqrt(length + 3) *
                        (std::fabs(alpha) * magnitude + std::fabs(before)));
  }
  return out;
}

std::vector<bool> rowsReached(const TestMatrix &a, const std::vector<bool> &marked) {
  std::vector<bool> out;
  for (size_t i = 0; i + 1 < a.rowPtr.size(); ++i) {
    bool reached = false;
    for (auto e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      reached = reached || marked[static_cast<size_t>(a.col[static_cast<size_t>(e)])];
    out.push_back(reached);
  }
  return out;
}

} // namespace specmv::simt
