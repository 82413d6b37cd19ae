// Computes row lengths that follow a power law.
#include "models/lab/families/pareto.h"

#include "models/lab/families/lengths.h"

#include "models/base/error.h"

#include <cmath>
#include <numeric>

namespace specmv {
namespace {
// The scale c, at which the law begins, and its tail c^(1 - alpha).
struct Scale {
  double value, tail;
};
} // namespace

// The largest allowed difference between the sum of the rounded lengths and the requested total, as
// a fraction of the total. With few entries, rounding is coarse.
constexpr double kMissed = 0.02;
static bool isNear(int64_t sum, int64_t total) {
  return std::abs(static_cast<double>(total - sum)) <= 1 + kMissed * static_cast<double>(total);
}

namespace {
// The law for a number of rows and a longest row: counts the rows of each length at a given scale.
class ParetoLaw {
public:
  ParetoLaw(int64_t rows, int64_t max, double alpha)
      : rows_(static_cast<double>(rows)), exponent_(alpha - 1),
        tails_(static_cast<size_t>(max) + 1) {
    for (size_t length = 1; length < tails_.size(); ++length)
      tails_[length] = tail(static_cast<double>(length));
    end_ = tail(static_cast<double>(max) + 1);
  }

  // The number of rows with at least `length` entries: P(x >= length) under x < max + 1, rounded.
  int64_t rowsFrom(int64_t length, const Scale &scale) const {
    if (static_cast<double>(length) <= scale.value)
      return static_cast<int64_t>(rows_);
    if (!(scale.tail > end_)) // alpha is so near to 1 that the difference rounds to 0
      return 0;
    const double share = (tails_[static_cast<size_t>(length)] - end_) / (scale.tail - end_);
    return std::llround(rows_ * share);
  }

  // The scale whose lengths have the largest sum that does not exceed `total`.
  Scale scaleFor(int64_t total) const {
    const Scale scale = largeScaleFor(total);
    return isNear(entries(scale), total) ? scale : smallScaleFor(total);
  }

  // The length of every row, longest first.
  std::vector<int32_t> lengths(const Scale &scale) const {
    std::vector<int32_t> lengths(static_cast<size_t>(rows_));
    int64_t length = static_cast<int64_t>(tails_.size()) - 1, row = 0;
    for (; length > 0; --length)
      for (const int64_t end = rowsFrom(length, scale); row < end; ++row)
        lengths[static_cast<size_t>(row)] = static_cast<int32_t>(length);
    return lengths;
  }

private:
  double tail(double x) const { return 1 / power(x, exponent_); }

  Scale scaleOf(double value) const { return {value, tail(value)}; }

  // Bisects over the scale, since the sum grows with it.
  Scale largeScaleFor(int64_t total) const {
    double low = 0, high = static_cast<double>(tails_.size()) - 1;
    if (entries(scaleOf(high)) <= total)
      return scaleOf(high);
    for (int step = 0; step < 80; ++step) { // 80 steps: an interval of 2^31 shrinks below 2^-49
      const double middle = low / 2 + high / 2;
      (entries(scaleOf(middle)) <= total ? low : high) = middle;
    }
    return scaleOf(low);
  }

  // If alpha is near 1, or if few rows have an entry, the scale is smaller than those steps reach,
  // or smaller than the smallest double. Its tail is not, so this bisects over the tail, from 1 up;
  // the sum decreases as the tail grows.
  Scale smallScaleFor(int64_t total) const {
    double low = 1, high = 2;
    while (entries({0, high}) > total)
      high *= 2;
    for (int step = 0; step < 80; ++step) { // more than a double has bits
      const double middle = low / 2 + high / 2;
      (entries({0, middle}) <= total ? high : low) = middle;
    }
    return {0, high};
  }

  int64_t entries(const Scale &scale) const {
    int64_t sum = 0;
    for (int64_t length = 1; length < static_cast<int64_t>(tails_.size()); ++length)
      sum += rowsFrom(length, scale);
    return sum;
  }

  double rows_, exponent_;
  std::vector<double> tails_; // length^(1 - alpha)
  double end_;                // (max + 1)^(1 - alpha)
};
} // namespace

std::vector<int32_t> powerLawLengths(int64_t rows, int64_t max, double alpha, int64_t total) {
  const ParetoLaw law(rows, max, alpha);
  return law.lengths(law.scaleFor(total));
}

static llvm::Error checkPowerLaw(const SpecOptions &options, llvm::StringRef family, int64_t max) {
  if (max > options.integer("cols"))
    return fail(Status::badCall, "{0}: max={1} exceeds cols={2}", family, max,
                options.integer("cols"));
  if (options.real("avg") > static_cast<double>(max))
    return fail(Status::badCall, "{0}: avg={1} exceeds max={2}", family, options.text("avg"), max);
  if (options.real("alpha") <= 1)
    return fail(Status::badCall, "{0}: alpha={1} must be greater than 1", family,
                options.text("alpha"));
  return checkMean(options, family, "avg");
}

llvm::Expected<std::vector<int32_t>> drawPowerLaw(const SpecOptions &options,
                                                  llvm::StringRef family) {
  const int64_t rows = options.integer("rows"), limit = options.integer("max");
  const int64_t max = options.given("max") ? limit : std::min(limit, options.integer("cols"));
  if (llvm::Error error = checkPowerLaw(options, family, max))
    return error;
  const int64_t total = std::llround(options.real("avg") * static_cast<double>(rows));
  std::vector<int32_t> lengths = powerLawLengths(rows, max, options.real("alpha"), total);
  const int64_t sum = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  if (!isNear(sum, total))
    return fail(Status::badCall,
                "{0}: with alpha={1} and max={2} all rows together have {3} entries, not rows x "
                "avg = {4}",
                family, options.text("alpha"), max, sum, total);
  shuffle(Random(seedOf(options), Drawn::lengths, 0), lengths);
  return lengths;
}

} // namespace specmv
