// The benchmark matrices of two papers. Strips paper: Guo and Wang, "Accurate CUDA performance
// modeling for sparse matrix-vector multiplication", 2012, section III-C; every row has P_NZ
// entries. Statistics paper: Wang, Gu and Li, "Performance prediction based on statistics of sparse
// matrix-vector multiplication on GPUs", 2017, section 3.1. There the lengths have the mean P_NZ
// and a normal or a uniform law. Neither paper gives the spread, so the following is assumed. The
// uniform law covers 0 .. 2 mean. The normal law is cut off to 0 .. 2 mean, which keeps its mean,
// with sigma = mean/4 unless given. Neither paper says where the columns lie: they are uniformly
// random unless another law is chosen.
#include "models/lab/families/lengths.h"

#include "models/base/error.h"

#include <cmath>

namespace specmv {
// e, rounded to a double.
constexpr double kE = 2.718281828459045;
// Lengths with a smaller probability than this, relative to the most probable one, are left out:
// 2^31 draws would not produce them.
constexpr double kLeast = 1e-18;

namespace {
// A law: the weights of the lengths from `shortest` on. Each weight is computed from its neighbour
// by multiplications only, so it is the same on every machine.
struct Law {
  int64_t shortest = 0, count = 1;
  std::vector<double> sums{}; // cumulative weights; empty if all weights are equal

  int64_t draw(Random random) const {
    if (sums.empty())
      return shortest + random.below(count);
    const double at = random.unit() * sums.back();
    const auto found = std::upper_bound(sums.begin(), sums.end() - 1, at);
    return shortest + (found - sums.begin());
  }
};
} // namespace

// Computes the weights at start, start + step, ... up to `end`, as long as they are not negligible.
// ratio() gives the quotient of a weight and the one before it.
template <class Ratio>
static std::vector<double> weights(int64_t start, int64_t end, int64_t step, Ratio ratio) {
  std::vector<double> found{1};
  for (int64_t length = start; length != end && found.back() > kLeast; length += step)
    found.push_back(found.back() * ratio(length + step));
  return found;
}

// Makes a law from the weights `down`, towards shorter lengths, and `up`, towards longer ones. Both
// lists begin with the weight of `start`.
static Law lawOf(int64_t start, const std::vector<double> &down, const std::vector<double> &up) {
  Law law{start - static_cast<int64_t>(down.size()) + 1, 0};
  law.sums.assign(down.rbegin(), down.rend());
  law.sums.insert(law.sums.end(), up.begin() + 1, up.end());
  for (size_t i = 1; i < law.sums.size(); ++i)
    law.sums[i] += law.sums[i - 1];
  return law;
}

// p(k) / p(k-1) = mean / k.
static Law poisson(double mean, int64_t longest) {
  const int64_t start = std::min(static_cast<int64_t>(mean), longest);
  const auto up = [&](int64_t k) { return mean / static_cast<double>(k); };
  const auto down = [&](int64_t k) { return static_cast<double>(k + 1) / mean; };
  return lawOf(start, weights(start, 0, -1, down), weights(start, longest, 1, up));
}

// exp(-d^2 / 2 sigma^2): with each step away from the mean, the quotient of neighbouring weights is
// multiplied by exp(-1 / sigma^2).
static Law normal(double mean, double sigma, int64_t longest) {
  const int64_t start = std::llround(mean);
  const double offset = static_cast<double>(start) - mean, variance = sigma * sigma;
  const double fall = 1 / power(kE, 1 / variance);
  double up = 1 / power(kE, (1 + 2 * offset) / 2 / variance);
  double down = 1 / power(kE, (1 - 2 * offset) / 2 / variance);
  const auto nextOf = [fall](double &ratio) {
    return [&ratio, fall](int64_t) {
      const double now = ratio;
      ratio *= fall;
      return now;
    };
  };
  return lawOf(start, weights(start, 0, -1, nextOf(down)), weights(start, longest, 1, nextOf(up)));
}

static llvm::Error checkRowLengths(const SpecOptions &options) {
  const int64_t cols = options.integer("cols");
  const double mean = options.real("mean");
  const llvm::StringRef dist = options.text("dist");
  const int64_t longest = std::llround(dist == "uniform" || dist == "normal" ? 2 * mean : mean);
  if (longest > cols)
    return fail(Status::badCall,
                "rowlengths: rows of up to {0} entries (dist={1}, mean={2}) exceed cols={3}",
                longest, dist, options.text("mean"), cols);
  return checkMean(options, "rowlengths", "mean");
}

static Law lawOf(const SpecOptions &options) {
  const double mean = options.real("mean"), sigma = options.real("sigma");
  const llvm::StringRef dist = options.text("dist");
  const int64_t twice = std::llround(2 * mean);
  if (dist == "poisson" && mean > 0)
    return poisson(mean, options.integer("cols"));
  constexpr double kLeastSigma = 0.01; // below it, all rows have the same length
  if (dist == "normal" && mean > 0 && (sigma == 0 || sigma >= kLeastSigma))
    return normal(mean, sigma > 0 ? sigma : mean / 4, twice);
  if (dist == "uniform")
    return {0, twice + 1};
  return {std::llround(mean), 1};
}

namespace {
// Draws the columns of rows from a range that is never narrower than the row.
struct ColumnLaw {
  llvm::StringRef name;
  int64_t rows, cols, mean;
  uint64_t seed;

  // Draws from the columns begin .. begin + size - 1.
  static void drawWithin(Random &random, std::span<int32_t> col, int64_t begin, int64_t size) {
    drawDistinct(random, col, size);
    for (int32_t &column : col)
      column += static_cast<int32_t>(begin);
  }
  void draw(int64_t row, std::span<int32_t> col) const {
    Random random(seed, Drawn::columns, row);
    const auto length = static_cast<int64_t>(col.size());
    if (name == "band") {
      const Window window = windowOf(row, rows, cols, std::max(2 * mean, length));
      drawWithin(random, col, window.begin, window.size());
    } else if (name == "windows") {
      const int64_t size = std::min(cols, std::max(kWindowColumns, length));
      Random ofGroup(seed, Drawn::values, row / kWindowRows);
      drawWithin(random, col, std::min(ofGroup.below(cols), cols - size), size);
    } else if (const int64_t runs = (length + kRun - 1) / kRun;
               name == "blocks" && runs <= cols / kRun) {
      drawDistinct(random, col.first(static_cast<size_t>(runs)), cols / kRun);
      expandBlocks(col, kRun);
    } else {
      drawDistinct(random, col, cols);
    }
  }

private:
  static constexpr int64_t kWindowRows = 256, kWindowColumns = 4096, kRun = 4;
};
} // namespace

llvm::Expected<CsrMatrix> generateRowlengths(const SpecOptions &options) {
  if (llvm::Error error = checkRowLengths(options))
    return error;
  const uint64_t seed = seedOf(options);
  const Law law = lawOf(options);
  const ColumnLaw columns{options.text("columns"), options.integer("rows"), options.integer("cols"),
                          std::llround(options.real("mean")), seed};
  const auto lengthOf = [&](int64_t row) { return law.draw(Random(seed, Drawn::lengths, row)); };
  return buildMatrix(options, lengthOf,
                     [&](int64_t row, std::span<int32_t> col) { columns.draw(row, col); });
}

} // namespace specmv
