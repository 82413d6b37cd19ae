// Checks a product against a reference in long double, exactly and with rounding.
#include "runtime/measure/verify.h"

#include "models/base/numbers.h"
#include "models/base/parallel.h"
#include "runtime/measure/product_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace specmv {

Values::Values(ValueType type, int64_t count) : type(type) {
  if (type == ValueType::f32)
    f32.resize(count);
  else
    f64.resize(count);
}

void Values::set(int64_t i, double value) {
  if (type == ValueType::f32)
    f32[i] = static_cast<float>(value);
  else
    f64[i] = value;
}

// The number of elements that a thread handles at a time.
constexpr int64_t kGrain = 1 << 14;

static Values filled(ValueType type, int64_t count, const std::function<double(int64_t)> &value) {
  Values out(type, count);
  parallelFor(count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out.set(i, value(i));
  });
  return out;
}

Values converted(const CsrView &a, ValueType type) {
  return visitValues(
      a, [&](auto *val) { return filled(type, a.nnz, [&](int64_t i) { return val[i]; }); });
}

Reference reference(const CsrView &pattern, const Values &a, double alpha, const Values &x) {
  Reference out{std::vector<long double>(pattern.rows), std::vector<double>(pattern.rows),
                std::vector<float>(pattern.rows)};
  visitPattern(pattern, [&](auto p) {
    parallelFor(p.rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        long double sum = 0, magnitude = 0;
        for (int64_t e = p.rowPtr[row]; e < p.rowPtr[row + 1]; ++e) {
          const long double term = static_cast<long double>(a.get(e)) * x.get(p.col[e]);
          sum += term;
          magnitude += std::isfinite(term) ? std::fabs(term) : 0;
        }
        out.product[row] = alpha * sum;
        out.magnitude[row] = static_cast<double>(std::fabs(alpha) * magnitude);
        out.length[row] = static_cast<float>(p.rowPtr[row + 1] - p.rowPtr[row]);
      }
    });
  });
  return out;
}

// Returns the factor of one of several vectors: 1, -1, 1/2, -1/2, 2, -2, ... 2^31, -2^31, 2^-32,
// -2^-32, and again. In float, products of a trial times any of them neither overflow nor lose
// bits.
static double factorOf(int64_t vector) {
  const auto place = static_cast<int>(vector % 128), pair = place / 2;
  return std::ldexp(place % 2 == 0 ? 1.0 : -1.0, pair % 2 == 0 ? pair / 2 : -(pair + 1) / 2);
}

Values spread(const Values &one, int64_t count) {
  return filled(one.type, one.count() * count,
                [&](int64_t i) { return one.get(i / count) * factorOf(i % count); });
}

// Returns the row with the largest error relative to its bound in begin .. end; the first of equal
// ones.
template <class Value>
static CheckResult worstOf(const std::vector<Value> &y, const Trial &trial, double beta,
                           int64_t vectors, int64_t begin, int64_t end) {
  CheckResult worst;
  for (int64_t i = begin; i < end; ++i) {
    const double y0 = trial.y0.get(i);
    const long double wantOfOne = trial.want.value(i, beta, y0);
    const long double magnitude = trial.exact ? 0 : trial.want.sumOfAbsolute(i, beta, y0);
    for (int64_t j = 0; j < vectors; ++j) {
      const double factor = factorOf(j);
      const long double want = wantOfOne * factor;
      const Value got = y[i * vectors + j];
      const long double error = trial.exact ? (got == want ? 0 : HUGE_VALL)
                                            : productError(got, want, magnitude * std::fabs(factor),
                                                           trial.want.length[i]);
      if (const auto ratio = static_cast<double>(error); ratio > worst.maxErrorRatio)
        worst = {false, ratio, i, got, static_cast<double>(want), j};
    }
  }
  return worst;
}

CheckResult compare(const Values &y, const Trial &trial, double beta, int64_t vectors) {
  CheckResult worst;
  std::mutex mutex; // guards worst
  parallelFor(y.count() / vectors, kGrain, [&](int64_t begin, int64_t end) {
    const CheckResult here = y.type == ValueType::f32
                                 ? worstOf(y.f32, trial, beta, vectors, begin, end)
                                 : worstOf(y.f64, trial, beta, vectors, begin, end);
    const std::lock_guard<std::mutex> lock(mutex);
    if (here.maxErrorRatio > worst.maxErrorRatio ||
        (here.maxErrorRatio == worst.maxErrorRatio && here.row < worst.row))
      worst = here;
  });
  worst.passed = worst.maxErrorRatio <= 1;
  return worst;
}

// A small integer other than 0, from -limit to limit.
static double smallInteger(uint64_t seed, int64_t i, int64_t limit) {
  const int64_t drawn = Random(seed, Drawn::values, i).below(2 * limit);
  return static_cast<double>(drawn < limit ? drawn - limit : drawn - limit + 1);
}

static double uniform(uint64_t seed, int64_t i) {
  return Random(seed, Drawn::values, i).signedUnit();
}

// The integers are so small that every partial sum of a row, times alpha = 2 and plus beta y0 = 3 x
// 8, is below 2^24: 2 L limit^2 + 24 < 2^24.
static bool areSmallIntegers(const Values &values, int64_t limit) {
  for (int64_t i = 0; i < values.count(); ++i)
    if (const double v = values.get(i);
        v != std::nearbyint(v) || std::fabs(v) > static_cast<double>(limit))
      return false;
  return true;
}

Trial exactTrial(const CsrView &a, bool betaCanBeNonZero, CheckedValues values) {
  const double room = (std::ldexp(1.0, 24) - 32) / 2 / static_cast<double>(longestRow(a) + 1);
  const auto limit = std::clamp<int64_t>(static_cast<int64_t>(std::sqrt(room)), 1, 8);
  const ValueType type = a.valueType;
  Values own = values == CheckedValues::own
                   ? converted(a, type)
                   : filled(type, a.nnz, [=](int64_t i) { return smallInteger(1, i, limit); });
  const bool isExact = areSmallIntegers(own, limit);
  Trial trial{isExact,
              std::move(own),
              filled(type, a.cols, [=](int64_t i) { return smallInteger(2, i, limit); }),
              filled(type, a.rows, [](int64_t i) { return smallInteger(3, i, 8); }),
              2,
              {0},
              {}};
  if (betaCanBeNonZero)
    trial.betas.push_back(3);
  trial.want = reference(a, trial.a, trial.alpha, trial.x);
  if (trial.exact) { // and uses no bounds
    trial.want.magnitude = {};
    trial.want.length = {};
  }
  return trial;
}

Trial roundedTrial(const CsrView &a, bool betaCanBeNonZero, CheckedValues values) {
  const ValueType type = a.valueType;
  Trial trial{false,
              values == CheckedValues::own
                  ? converted(a, type)
                  : filled(type, a.nnz, [](int64_t i) { return uniform(4, i); }),
              filled(type, a.cols, [](int64_t i) { return uniform(5, i); }),
              filled(type, a.rows, [](int64_t i) { return uniform(6, i); }),
              0.75,
              {0},
              {}};
  if (betaCanBeNonZero)
    trial.betas.push_back(-0.375);
  trial.want = reference(a, trial.a, trial.alpha, trial.x);
  return trial;
}

Verifier::Verifier(const CsrView &a, bool betaCanBeNonZero, CheckedValues values)
    : exact_(exactTrial(a, betaCanBeNonZero, values)),
      rounded_(roundedTrial(a, betaCanBeNonZero, values)) {}

// Returns the worst of the trial's products; stops at the first that fails.
llvm::Expected<CheckResult> Verifier::run(const Trial &trial, const ProductUnderTest &product) {
  if (llvm::Error error = product.setValues(trial.a))
    return error;
  CheckResult worst{.passed = true};
  const int64_t vectors = product.vectors;
  const Values x = vectors == 1 ? Values() : spread(trial.x, vectors);
  const auto poison = [](int64_t) { return std::numeric_limits<double>::quiet_NaN(); };
  for (double beta : trial.betas) {
    Values y = beta == 0      ? filled(trial.y0.type, trial.y0.count() * vectors, poison)
               : vectors == 1 ? trial.y0
                              : spread(trial.y0, vectors);
    if (llvm::Error error = product.multiply(trial.alpha, vectors == 1 ? trial.x : x, beta, y))
      return error;
    const CheckResult result = compare(y, trial, beta, vectors);
    if (!result.passed || result.maxErrorRatio > worst.maxErrorRatio)
      worst = result;
    if (!result.passed)
      break;
  }
  return worst;
}

llvm::Expected<Verification> Verifier::check(const ProductUnderTest &product) const {
  Verification out;
  for (const auto &[trial, result] :
       {std::pair(&exact_, &out.exact), std::pair(&rounded_, &out.rounded)}) {
    auto found = run(*trial, product);
    if (!found)
      return found.takeError();
    *result = *found;
  }
  return out;
}

} // namespace specmv
