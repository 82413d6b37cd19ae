// Draws lengths of rows, columns, entries and numberings.
#include "models/lab/families/draws.h"

#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/base/numbers.h"
#include "models/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>

namespace specmv {

// --- Lengths -------------------------------------------------------------------------------------

// Computes row lengths from a law: its quantiles, shuffled, with an exact sum.

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

// --- Entries -------------------------------------------------------------------------------------

// Makes matrices from entries in any order: counts them, places them, and sorts each row. The order
// in which threads place the entries varies, but the sorted rows are always the same.

constexpr int64_t kSourcesPerRange = 4096;
constexpr int64_t kRowsPerSort = 1024;

using Counts = std::vector<uint32_t>;

static void forAll(int64_t sources, const EmitEntries &emitEntries, Emit emit) {
  parallelFor(sources, kSourcesPerRange,
              [&](int64_t begin, int64_t end) { emitEntries(begin, end, emit); });
}

static uint32_t addOne(uint32_t &count) {
  return std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
}

// Places all entries. next[row] is where the row begins before the call, and where it ends after
// it.
static std::vector<int32_t> place(Counts &next, int64_t nnz, int64_t sources,
                                  const EmitEntries &emitEntries) {
  std::vector<int32_t> col(static_cast<size_t>(nnz));
  forAll(sources, emitEntries, [&](int64_t row, int64_t column) {
    col[addOne(next[static_cast<size_t>(row)])] = static_cast<int32_t>(column);
  });
  return col;
}

// Sorts the columns of each row, drops repeated ones and returns the new lengths.
static std::vector<int32_t> sortRows(std::vector<int32_t> &col, const Counts &ends) {
  std::vector<int32_t> lengths(ends.size());
  parallelFor(static_cast<int64_t>(ends.size()), kRowsPerSort, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      const auto first = col.begin() + (row == 0 ? 0 : ends[row - 1]);
      const auto last = col.begin() + ends[row];
      std::sort(first, last);
      lengths[row] = static_cast<int32_t>(std::unique(first, last) - first);
    }
  });
  return lengths;
}

// Closes the gaps that repeated columns left, and fills rowPtr.
static void closeGaps(CsrMatrix &matrix, const Counts &ends, const std::vector<int32_t> &lengths) {
  matrix.rowPtr.assign(ends.size() + 1, 0);
  for (size_t row = 0; row < ends.size(); ++row) {
    const auto first = matrix.col.begin() + (row == 0 ? 0 : ends[row - 1]);
    std::copy(first, first + lengths[row], matrix.col.begin() + matrix.rowPtr[row]);
    matrix.rowPtr[row + 1] = matrix.rowPtr[row] + lengths[row];
  }
  matrix.col.resize(static_cast<size_t>(matrix.rowPtr.back()));
}

static void fillValues(CsrMatrix &matrix, const Values &values) {
  matrix.val.resize(matrix.col.size());
  parallelFor(matrix.rows, kRowsPerSort, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int32_t *pointer = matrix.rowPtr.data() + row;
      drawValues(Random(values.seed, Drawn::values, row), values.integers,
                 std::span(matrix.val.data() + pointer[0], matrix.val.data() + pointer[1]));
    }
  });
}

llvm::Expected<CsrMatrix> buildFromEntries(int64_t rows, int64_t cols, const Values &values,
                                           int64_t sources, const EmitEntries &emitEntries) {
  if (llvm::Error error = checkRowsFit(rows, cols, availableMemory()))
    return error;
  Counts counts(static_cast<size_t>(rows));
  forAll(sources, emitEntries,
         [&](int64_t row, int64_t) { addOne(counts[static_cast<size_t>(row)]); });
  const int64_t nnz = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (llvm::Error error = checkFits(rows, cols, nnz, availableMemory()))
    return error;
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), uint32_t{0});
  CsrMatrix matrix{{}, rows, cols, {}, place(counts, nnz, sources, emitEntries), {}};
  closeGaps(matrix, counts, sortRows(matrix.col, counts));
  fillValues(matrix, values);
  return matrix;
}

// --- Popular -------------------------------------------------------------------------------------

// Draws columns by their popularity.

// Enough for rows of tens of columns out of thousands: in a test with 3,000 rows of 45 out of
// 20,000 columns, no row took more than 7 passes.
constexpr int kPasses = 8;

PopularColumns::PopularColumns(int64_t cols, uint64_t seed, Popularity popularity)
    : popularity_(popularity), columnOf_(static_cast<size_t>(cols)) {
  std::iota(columnOf_.begin(), columnOf_.end(), 0);
  shuffle(Random(seed, Drawn::columns, -1), columnOf_); // rows use the numbers 0 and above
}

int32_t PopularColumns::draw(Random &random) const {
  if (popularity_ == Popularity::squareRoot) {
    const double share = random.unit(), ranks = static_cast<double>(columnOf_.size());
    return columnOf_[static_cast<size_t>(share * share * ranks)];
  }
  const int octaves = std::bit_width(columnOf_.size());
  for (;;) { // the last octave may have fewer ranks
    const int64_t first = int64_t{1} << random.below(octaves);
    const auto rank = static_cast<size_t>(first + random.below(first) - 1);
    if (rank < columnOf_.size())
      return columnOf_[rank];
  }
}

void PopularColumns::extend(Random &random, std::span<int32_t> out, size_t have) const {
  for (int pass = 0; pass < kPasses && have < out.size(); ++pass) {
    const auto first = out.begin() + static_cast<ptrdiff_t>(have);
    std::generate(first, out.end(), [&] { return draw(random); });
    std::sort(out.begin(), out.end());
    have = static_cast<size_t>(std::unique(out.begin(), out.end()) - out.begin());
  }
  extendDistinct(random, out, have, 0, static_cast<int64_t>(columnOf_.size()));
}

// --- Pareto --------------------------------------------------------------------------------------

// Computes row lengths that follow a power law.

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

// --- Shuffled ------------------------------------------------------------------------------------

// Numbers the rows and columns of a matrix at random.

// The new numbers of 0 .. count - 1.
static std::vector<int32_t> randomNumbers(int64_t count, int64_t index) {
  std::vector<int32_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  shuffle(Random(1, Drawn::lengths, index), out);
  return out;
}

CsrMatrix shuffled(const CsrMatrix &a) {
  const std::vector<int32_t> rowAt = randomNumbers(a.rows, 0);
  std::vector<int32_t> newColumn = a.rows == a.cols ? rowAt : randomNumbers(a.cols, 1);
  if (a.rows == a.cols)
    for (size_t i = 0; i < rowAt.size(); ++i)
      newColumn[static_cast<size_t>(rowAt[i])] = static_cast<int32_t>(i);
  CsrMatrix out{.name = "", .rows = a.rows, .cols = a.cols, .col = {}, .val = {}};
  std::vector<std::pair<int32_t, double>> entries;
  for (const int32_t row : rowAt) {
    entries.clear();
    for (auto e = static_cast<size_t>(a.rowPtr[static_cast<size_t>(row)]);
         e < static_cast<size_t>(a.rowPtr[static_cast<size_t>(row) + 1]); ++e)
      entries.emplace_back(newColumn[static_cast<size_t>(a.col[e])], a.val[e]);
    std::sort(entries.begin(), entries.end());
    for (const auto &[column, value] : entries) {
      out.col.push_back(column);
      out.val.push_back(value);
    }
    out.rowPtr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

} // namespace specmv
