// Checks a product in two ways: exactly with small integers, and with rounding on random values.
// Both compare with a reference in long double.
#pragma once

#include "models/base/error.h"
#include "models/csr.h"

#include <cmath>
#include <functional>
#include <vector>

namespace specmv {

// Values of one of the two types.
struct Values {
  ValueType type = ValueType::f64;
  std::vector<float> f32;
  std::vector<double> f64;

  Values() = default;
  Values(ValueType type, int64_t count);
  void *data() { return type == ValueType::f32 ? static_cast<void *>(f32.data()) : f64.data(); }
  const void *data() const { return const_cast<Values *>(this)->data(); }
  int64_t count() const {
    return static_cast<int64_t>(type == ValueType::f32 ? f32.size() : f64.size());
  }
  size_t bytes() const { return static_cast<size_t>(count()) * sizeOf(type); }
  double get(int64_t i) const { return type == ValueType::f32 ? f32[i] : f64[i]; }
  void set(int64_t i, double value);
};

// Converts the values of a matrix to a type, rounded to nearest.
Values converted(const CsrView &a, ValueType type);

// A product under test. Both parts may fail.
struct ProductUnderTest {
  // Gives A these values, which must stay alive while products use them.
  std::function<llvm::Error(const Values &a)> setValues;
  // y = alpha A x + beta y. If beta is 0, y is filled with NaN before the call.
  std::function<llvm::Error(double alpha, const Values &x, double beta, Values &y)> multiply;
  // The number multiplied at once: x and y then have rows of this many values.
  int64_t vectors = 1;
};

struct CheckResult {
  bool passed = false;
  // Largest productError(), or infinity where an exact trial has an error; 0 is exact, above 1 is
  // wrong.
  double maxErrorRatio = 0;
  int64_t row = -1; // row of the largest error
  double got = 0, want = 0;
  int64_t vector = 0; // its number among several
};

struct Verification {
  CheckResult exact;   // integers a, x with sum |a x| + |y| below 2^24 or 2^53: equal to the bit
  CheckResult rounded; // within the bound of productError()
  bool passed() const { return exact.passed && rounded.passed; }
};

// The reference for both products of a trial, with beta = 0 and without: alpha A x by row, |alpha|
// sum |a x| of the finite terms, and the number L of terms. Takes 28 bytes a row, which for many
// rows with few entries is more than the matrix; the last is rounded to float, since its sixth
// digit does not matter.
struct Reference {
  std::vector<long double> product;
  std::vector<double> magnitude;
  std::vector<float> length;

  // beta y0; 0 if beta is 0, even if y0 is NaN.
  static long double betaTerm(double beta, double y0) {
    return beta == 0 ? 0 : static_cast<long double>(beta) * y0;
  }
  long double value(int64_t row, double beta, double y0) const {
    return product[row] + betaTerm(beta, y0);
  }
  // Returns |alpha| sum |a x| + |beta y0|.
  long double sumOfAbsolute(int64_t row, double beta, double y0) const {
    return magnitude[row] + std::fabs(betaTerm(beta, y0));
  }
};
Reference reference(const CsrView &pattern, const Values &a, double alpha, const Values &x);

// Values of a matrix, vectors and factors, and the expected products.
struct Trial {
  bool exact;
  Values a, x, y0;
  double alpha;
  std::vector<double> betas;
  Reference want;
};
// The values of a matrix in a trial: drawn for the trial, or its own, for plans that fit no others.
// A product by its own values is exact only if these are small integers; a trial that cannot be
// exact allows the bound.
enum class CheckedValues : uint8_t { drawn, own };
Trial exactTrial(const CsrView &a, bool betaCanBeNonZero,
                 CheckedValues values = CheckedValues::drawn);
Trial roundedTrial(const CsrView &a, bool betaCanBeNonZero,
                   CheckedValues values = CheckedValues::drawn);

// Makes rows of `count` values: each vector is the given one times its own signed power of two.
// Products of it are the same multiple to the bit, and a swapped vector is detected unless it is
// 128 places away.
Values spread(const Values &one, int64_t count);

// Compares a product, or products with spread vectors, with the expected values. An exact trial
// demands equality; a rounded one allows the bound.
CheckResult compare(const Values &y, const Trial &trial, double beta, int64_t vectors = 1);

// Runs both checks of one matrix, each with beta = 0 on a poisoned y and, if the problem allows it,
// beta != 0. Inputs and references are made once, for any number of products.
class Verifier {
public:
  Verifier(const CsrView &a, bool betaCanBeNonZero, CheckedValues values = CheckedValues::drawn);
  llvm::Expected<Verification> check(const ProductUnderTest &product) const;

private:
  static llvm::Expected<CheckResult> run(const Trial &trial, const ProductUnderTest &product);

  Trial exact_, rounded_;
};

} // namespace specmv
