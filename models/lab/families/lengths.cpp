// Computes row lengths from a law: its quantiles, shuffled, with an exact sum.
#include "models/lab/families/lengths.h"

#include "models/base/error.h"

#include <cmath>
#include <numeric>

namespace specmv {
// Lengths whose partial sums are the rounded partial sums of ideal(0), ideal(1), ...
template <class Ideal> static std::vector<int32_t> roundedSums(int64_t rows, const Ideal &ideal) {
  std::vector<int32_t> lengths(static_cast<size_t>(rows));
  double sum = 0;
  int64_t before = 0;
  for (size_t row = 0; row < lengths.size(); ++row) {
    sum += ideal(static_cast<int64_t>(row));
    lengths[row] = static_cast<int32_t>(std::llround(sum) - before);
    before += lengths[row];
  }
  return lengths;
}

// Rounds to multiples of 2^-20, so that machines that fuse a product and a sum, and therefore round
// differently, get the same number.
static double coarse(double x) { return std::floor(x * 0x1p20) * 0x1p-20; }

namespace {
// Quantiles base + (longest - base) u^t, u = 0, 1/(n-1), ..., 1.
struct PowerLaw {
  double n, mean, longest;

  // The mean of u^t: its sum by Euler and Maclaurin, accurate to 1 percent up to t = n.
  double meanOf(double t) const { return ((n - 1) / (t + 1) + 0.5 + t / (n - 1) / 12) / n; }
  double base(double t) const { return (mean - longest * meanOf(t)) / (1 - meanOf(t)); }
  double variance(double t) const {
    const double width = longest - base(t);
    return width * width * (meanOf(2 * t) - meanOf(t) * meanOf(t));
  }
  // The t that gives a spread, in eighths, because each further binary place costs a square root.
  // The variance decreases with t.
  double exponent(double spread) const {
    double low = 0, high = n;
    while (high - low > 0.125)
      (variance((low + high) / 2) > spread * spread ? low : high) = (low + high) / 2;
    return std::floor(high * 8) / 8;
  }
};
} // namespace

double power(double base, double exponent) {
  double whole = std::floor(exponent), fraction = exponent - whole, result = 1;
  for (double root = base; fraction > 0 && root != 1;) {
    root = std::sqrt(root);
    fraction *= 2;
    if (fraction >= 1) {
      result *= root;
      fraction -= 1;
    }
  }
  for (double square = base; whole > 0; square *= square) {
    if (std::fmod(whole, 2) == 1)
      result *= square;
    whole = std::floor(whole / 2);
  }
  return result;
}

void shuffle(Random random, std::span<int32_t> numbers, size_t run) {
  for (size_t left = numbers.size() / run; left > 1; --left) {
    const auto other = static_cast<size_t>(random.below(static_cast<int64_t>(left)));
    const auto last = numbers.begin() + static_cast<ptrdiff_t>((left - 1) * run);
    std::swap_ranges(last, last + static_cast<ptrdiff_t>(run),
                     numbers.begin() + static_cast<ptrdiff_t>(other * run));
  }
}

int64_t drawCount(Random &random, double mean) {
  const double share = random.unit(), rounding = random.unit();
  return static_cast<int64_t>(std::floor(2 * mean * share + rounding));
}

constexpr double kEuler = 2.718281828459045;

// The mean of a log-normal law is exp(sigma^2 / 2) times its median.
LogNormal::LogNormal(double mean, double sigma)
    : median_(mean / power(kEuler, coarse(sigma * sigma / 2))), sigma_(sigma) {}

// The sum of 12 uniform numbers, less 6, is about normal with a standard deviation of 1.
int64_t LogNormal::draw(Random random) const {
  double normal = -6;
  for (int i = 0; i < 12; ++i)
    normal += random.unit();
  const double ratio = power(kEuler, coarse(sigma_ * std::fabs(normal)));
  return std::llround(normal < 0 ? median_ / ratio : median_ * ratio);
}

llvm::Expected<SpreadLengths> spreadLengths(const SpecOptions &options, llvm::StringRef family) {
  const int64_t cols = options.integer("cols"), k = options.integer("k");
  const double mean = static_cast<double>(k), spread = options.real("spread");
  const SpreadLengths lengths{std::llround(mean * (1 - spread)), std::llround(mean * (1 + spread))};
  if (lengths.longest > cols)
    return fail(Status::badCall,
                "{0}: rows of up to {1} entries (k={2}, spread={3}) exceed cols={4}", family,
                lengths.longest, k, options.text("spread"), cols);
  return lengths;
}

// If a power law would need negative lengths, two lengths are used: X in a fraction p of the rows,
// and low in the others. Then mean - low = p (X - low) and spread^2 = (mean - low) (X - mean).
std::vector<int32_t> lengthsBy(const LengthLaw &law, int64_t rows, int64_t total) {
  const auto n = static_cast<double>(rows), longest = static_cast<double>(law.longest);
  const double mean = static_cast<double>(total) / n, above = longest - mean;
  if (law.spread <= 0 || above <= 0 || rows < 2)
    return roundedSums(rows, [&](int64_t) { return mean; });
  std::vector<int32_t> lengths;
  const PowerLaw quantiles{n, mean, longest};
  const double t = quantiles.exponent(law.spread), base = coarse(quantiles.base(t));
  if (base >= 0) {
    lengths = roundedSums(rows, [&, perUnit = 1 / (longest - base)](int64_t row) {
      return base + power(static_cast<double>(row) / (n - 1), t) / perUnit;
    });
  } else {
    const double low = coarse(std::max(0.0, mean - law.spread / (above / law.spread)));
    const auto longRows = std::llround((mean - low) / ((longest - low) / n));
    lengths = roundedSums(rows, [&](int64_t row) { return row < rows - longRows ? low : longest; });
  }
  meetTotal(lengths, total, [&](int64_t) { return law.longest; });
  return lengths;
}

std::vector<int32_t> exponentialLengths(int64_t rows, double mean) {
  double sum = 0;
  std::vector<int32_t> lengths(static_cast<size_t>(rows));
  for (size_t row = 0; row < lengths.size(); ++row) {
    sum += mean / static_cast<double>(lengths.size() - row);
    lengths[row] = static_cast<int32_t>(std::llround(sum));
  }
  return lengths;
}

void meetTotal(std::span<int32_t> lengths, int64_t total, const LengthOf &most) {
  for (size_t row = 0; row < lengths.size(); ++row)
    lengths[row] =
        static_cast<int32_t>(std::min<int64_t>(lengths[row], most(static_cast<int64_t>(row))));
  int64_t open = total - std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  const int32_t change = open < 0 ? -1 : 1;
  open *= change;
  // First changes evenly spaced rows; if their lengths are at a limit, changes any row whose length
  // is not.
  size_t step =
      std::max<size_t>(lengths.size() / static_cast<size_t>(std::max<int64_t>(open, 1)), 1);
  for (bool room = true; open > 0 && room; step = 1) {
    room = step > 1;
    for (size_t row = 0; row < lengths.size() && open > 0; row += step) {
      if (change < 0 ? lengths[row] == 0 : lengths[row] >= most(static_cast<int64_t>(row)))
        continue;
      lengths[row] += change;
      --open;
      room = true;
    }
  }
}

} // namespace specmv
