// How wrong an element of a product is. The checks of specmv use this, and standalone programs have
// its text.
#pragma once

#include <cmath>
#include <limits>

namespace specmv {

// Returns the error of `got` divided by its bound; above 1 it is wrong. `want` is the element
// in long double, and `magnitude` the sum of the absolute values of its terms, with alpha and beta
// and without infinite ones; L is the number of entries in the row. The bound is that of a sum of
// rounded products, 4 eps sqrt(L + 3) times the magnitude, and L + 2 times the smallest number of
// the type, since small products are rounded to multiples of it.
template <class Value>
long double productError(Value got, long double want, long double magnitude, long double length) {
  using Limits = std::numeric_limits<Value>;
  const long double largest = Limits::max(), epsilon = Limits::epsilon();
  if (!std::isfinite(got)) {
    // Parts of a sum may overflow where the sum does not. Half of the largest number is the limit,
    // since parts are rounded, and alpha, which is at least 1/2 here, may be multiplied last.
    const bool isRight =
        std::isnan(want) ? std::isnan(got) : got == want || magnitude > largest / 2;
    return isRight ? 0 : HUGE_VALL;
  }
  // Of a finite result, no part was beyond the largest number.
  const long double bound = 4 * epsilon * std::sqrt(length + 3) * std::fmin(magnitude, largest) +
                            (length + 2) * Limits::denorm_min();
  const long double error = std::fabs(got - want);
  return std::isfinite(error) ? error / bound : HUGE_VALL;
}

} // namespace specmv
