// Matrices that are told by their rows: how long they are, and where in them the entries lie.
#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/lab/families/build.h"
#include "models/lab/families/draws.h"

#include <array>
#include <cmath>
#include <numeric>

namespace specmv {

// --- Random --------------------------------------------------------------------------------------

// Families whose columns are drawn at random: from the whole row, from a band, as blocks from a
// band, and from the whole row with a few very long rows.

// Fills col with distinct columns of the window, including the diagonal one.
static void drawAround(Random random, const Window &window, std::span<int32_t> col) {
  if (col.empty())
    return;
  col[0] = static_cast<int32_t>(window.diagonal);
  extendDistinct(random, col, 1, window.begin, window.end);
}

llvm::Expected<CsrMatrix> generateRandom(const SpecOptions &options) {
  llvm::Expected<SpreadLengths> lengths = spreadLengths(options, "random");
  if (!lengths)
    return lengths.takeError();
  const int64_t cols = options.integer("cols");
  const uint64_t seed = seedOf(options);
  const auto lengthOf = [&](int64_t row) {
    return lengths->draw(Random(seed, Drawn::lengths, row));
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    drawDistinct(random, col, cols);
  });
}

llvm::Expected<CsrMatrix> generateBand(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const int64_t k = options.integer("k"), half = options.integer("half");
  const uint64_t seed = seedOf(options);
  if (llvm::Error error = checkBand(options, "band"))
    return error;
  const auto lengthOf = [&](int64_t row) {
    return std::min(k, windowOf(row, rows, cols, half).size());
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    drawAround(Random(seed, Drawn::columns, row), windowOf(row, rows, cols, half), col);
  });
}

llvm::Expected<CsrMatrix> generateBlocks(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const int64_t b = options.integer("b"), k = options.integer("k"), band = options.integer("band");
  const uint64_t seed = seedOf(options);
  if (rows % b != 0 || cols % b != 0)
    return fail(Status::badCall, "blocks: rows={0} and cols={1} must be multiples of b={2}", rows,
                cols, b);
  if (k > std::min(2 * band + 1, cols / b))
    return fail(Status::badCall,
                "blocks: k={0} exceeds the {1} blocks of a block row's band (band={2}, cols={3})",
                k, std::min(2 * band + 1, cols / b), band, cols);
  const auto lengthOf = [&](int64_t row) {
    return b * std::min(k, windowOf(row / b, rows / b, cols / b, band).size());
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    const auto width = static_cast<size_t>(b);
    const Window window = windowOf(row / b, rows / b, cols / b, band);
    drawAround(Random(seed, Drawn::columns, row / b), window, col.first(col.size() / width));
    expandBlocks(col, width);
  });
}

llvm::Expected<CsrMatrix> generateSpike(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const int64_t k = options.integer("k"), length = options.integer("length");
  const int64_t spikes = options.integer("spikes");
  const uint64_t seed = seedOf(options);
  if (std::max(k, length) > cols)
    return fail(Status::badCall, "spike: k={0} and length={1} must not exceed cols={2}", k, length,
                cols);
  if (spikes > rows)
    return fail(Status::badCall, "spike: spikes={0} exceeds rows={1}", spikes, rows);
  std::vector<int32_t> longRows(static_cast<size_t>(spikes));
  Random random(seed, Drawn::lengths, 0);
  drawDistinct(random, longRows, rows);
  const auto lengthOf = [&](int64_t row) {
    return std::binary_search(longRows.begin(), longRows.end(), row) ? length : k;
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random columns(seed, Drawn::columns, row);
    drawDistinct(columns, col, cols);
  });
}

// --- Dense ---------------------------------------------------------------------------------------

// Families whose pattern is not random: full, diagonal and empty matrices.

llvm::Expected<CsrMatrix> generateDense(const SpecOptions &options) {
  const int64_t cols = options.integer("cols");
  return buildMatrix(
      options, [cols](int64_t) { return cols; },
      [](int64_t, std::span<int32_t> col) { std::iota(col.begin(), col.end(), 0); });
}

llvm::Expected<CsrMatrix> generateDiagonal(const SpecOptions &options) {
  const int64_t cols = options.integer("cols");
  return buildMatrix(
      options, [cols](int64_t row) { return row < cols ? 1 : 0; },
      [](int64_t row, std::span<int32_t> col) {
        std::fill(col.begin(), col.end(), static_cast<int32_t>(row));
      });
}

llvm::Expected<CsrMatrix> generateEmpty(const SpecOptions &options) {
  return buildMatrix(
      options.integer("rows"), options.integer("cols"), [](int64_t) { return 0; },
      [](int64_t, std::span<int32_t>, std::span<double>) {});
}

// --- Arrow ---------------------------------------------------------------------------------------

// Arrowhead matrices: a full band, and at its end a few full rows and columns. They occur in
// problems where a few unknowns (a constraint, a frequency, a global parameter) are coupled to all
// others.

llvm::Expected<CsrMatrix> generateArrow(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), limit = options.integer("full");
  const int64_t full = options.given("full") ? limit : std::min(limit, rows);
  const int64_t half = options.integer("half"), others = rows - full;
  if (full > rows)
    return fail(Status::badCall, "arrow: full={0} exceeds rows={1}", full, rows);
  const auto bandOf = [=](int64_t row) {
    return row < others ? windowOf(row, others, others, half) : Window{row, 0, others};
  };
  const auto lengthOf = [=](int64_t row) { return bandOf(row).size() + full; };
  const auto fillColumns = [=](int64_t row, std::span<int32_t> col) {
    const Window band = bandOf(row);
    const auto last = col.begin() + static_cast<ptrdiff_t>(band.size());
    std::iota(col.begin(), last, static_cast<int32_t>(band.begin));
    std::iota(last, col.end(), static_cast<int32_t>(others));
  };
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

// --- Widetable -----------------------------------------------------------------------------------

// A wide table: rows of very different lengths, from a few entries to very many. The lengths are
// log-uniform, so every order of magnitude is equally likely. The columns are random.

llvm::Expected<CsrMatrix> generateWidetable(const SpecOptions &options) {
  const int64_t cols = options.integer("cols"), least = options.integer("least");
  const int64_t limit = options.integer("most");
  const int64_t most = options.given("most") ? limit : std::min(limit, cols);
  if (least > most || most > cols)
    return fail(Status::badCall,
                "widetable: lengths from least={0} to most={1} must ascend and not exceed cols={2}",
                least, most, cols);
  const uint64_t seed = seedOf(options);
  const double shortest = static_cast<double>(least),
               ratio = static_cast<double>(most) / static_cast<double>(least);
  const auto lengthOf = [&](int64_t row) {
    return std::llround(shortest * power(ratio, Random(seed, Drawn::lengths, row).unit()));
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    drawDistinct(random, col, cols);
  });
}

// --- Hypersparse ---------------------------------------------------------------------------------

// Matrices in which most rows are empty. The other rows, drawn at random, have k entries each,
// anywhere or near the diagonal.

llvm::Expected<CsrMatrix> generateHypersparse(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const int64_t k = options.integer("k"), half = options.integer("half");
  const double filled = options.real("filled");
  const uint64_t seed = seedOf(options);
  if (llvm::Error error = checkBand(options, "hypersparse"))
    return error;
  const auto lengthOf = [&](int64_t row) {
    const bool empty = Random(seed, Drawn::lengths, row).unit() >= filled;
    return empty ? 0 : std::min(k, windowOf(row, rows, cols, half).size());
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    const Window window = windowOf(row, rows, cols, half);
    Random random(seed, Drawn::columns, row);
    extendDistinct(random, col, 0, window.begin, window.end);
  });
}

// --- Features ------------------------------------------------------------------------------------

// A table of features: a row has a few of very many features, and only a few features are in most
// rows.

llvm::Expected<CsrMatrix> generateFeatures(const SpecOptions &options) {
  llvm::Expected<SpreadLengths> lengths = spreadLengths(options, "features");
  if (!lengths)
    return lengths.takeError();
  const uint64_t seed = seedOf(options);
  const PopularColumns features(options.integer("cols"), seed);
  const auto lengthOf = [&](int64_t row) {
    return lengths->draw(Random(seed, Drawn::lengths, row));
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    features.extend(random, col, 0);
  });
}

// --- Counts --------------------------------------------------------------------------------------

// Tables of counts whose row lengths are about log-normal: the genes that were found in a cell
// (columns of mildly skewed popularity), and the words of a document (by Zipf's law). The laws and
// their defaults are assumptions; no table was measured.

static llvm::Expected<CsrMatrix> generateCounts(const SpecOptions &options, llvm::StringRef family,
                                                Popularity popularity) {
  const int64_t cols = options.integer("cols");
  const double avg = options.real("avg");
  if (avg > static_cast<double>(cols))
    return fail(Status::badCall, "{0}: avg={1} exceeds cols={2}", family, options.text("avg"),
                cols);
  if (llvm::Error error = checkMean(options, family, "avg"))
    return error;
  const uint64_t seed = seedOf(options);
  const PopularColumns columns(cols, seed, popularity);
  const LogNormal lengths(avg, options.real("sigma"));
  const auto lengthOf = [&](int64_t row) {
    return std::min(lengths.draw(Random(seed, Drawn::lengths, row)), cols);
  };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    columns.extend(random, col, 0);
  });
}

llvm::Expected<CsrMatrix> generateGenes(const SpecOptions &options) {
  return generateCounts(options, "genes", Popularity::squareRoot);
}

llvm::Expected<CsrMatrix> generateText(const SpecOptions &options) {
  return generateCounts(options, "text", Popularity::zipf);
}

// --- Rowlengths ----------------------------------------------------------------------------------

// The benchmark matrices of two papers. Strips paper: Guo and Wang, "Accurate CUDA performance
// modeling for sparse matrix-vector multiplication", 2012, section III-C; every row has P_NZ
// entries. Statistics paper: Wang, Gu and Li, "Performance prediction based on statistics of sparse
// matrix-vector multiplication on GPUs", 2017, section 3.1. There the lengths have the mean P_NZ
// and a normal or a uniform law. Neither paper gives the spread, so the following is assumed. The
// uniform law covers 0 .. 2 mean. The normal law is cut off to 0 .. 2 mean, which keeps its mean,
// with sigma = mean/4 unless given. Neither paper says where the columns lie: they are uniformly
// random unless another law is chosen.

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

// --- Factor --------------------------------------------------------------------------------------

// Lower triangular factors with fill, as of sparse direct solvers. Supernodes are runs of columns
// with the same pattern. A row has the columns of its own supernode up to the diagonal, and all
// columns of some earlier supernodes within a band. The later a row, the more of these it has, from
// none to twice the mean. The law is an assumption; no factor was measured.

constexpr int64_t kMostFill = 256; // earlier supernodes of a row are kept on the stack

namespace {
class Supernodes {
public:
  Supernodes(int64_t rows, int64_t width, int64_t fill, int64_t band, uint64_t seed)
      : fill_(fill), band_(band), seed_(seed) {
    for (int64_t begin = 0, number = 0; begin < rows; ++number) {
      first_.push_back(static_cast<int32_t>(begin));
      begin += 1 + Random(seed, Drawn::lengths, number).below(2 * width - 1);
    }
    first_.push_back(static_cast<int32_t>(rows));
  }

  // Calls f with the first column and the end of each run of columns of a row, ascending.
  template <class F> void forRuns(int64_t row, const F &f) const {
    const int64_t own = std::upper_bound(first_.begin(), first_.end(), row) - first_.begin() - 1;
    const int64_t before = std::min(own, band_), count = static_cast<int64_t>(first_.size()) - 1;
    std::array<int32_t, 2 * kMostFill> chosen;
    const auto runs = std::span(chosen).first(
        static_cast<size_t>(std::min(before, 2 * fill_ * (own + 1) / count)));
    Random random(seed_, Drawn::columns, own);
    drawDistinct(random, runs, before);
    for (const int32_t run : runs)
      f(first_[static_cast<size_t>(own - before + run)],
        first_[static_cast<size_t>(own - before + run) + 1]);
    f(first_[static_cast<size_t>(own)], static_cast<int32_t>(row + 1));
  }

private:
  int64_t fill_, band_;
  uint64_t seed_;
  std::vector<int32_t> first_{}; // the first row of each supernode, and the number of rows
};
} // namespace

// Refuses a matrix by half of the entries that rows would have without an end of the band, and
// without a first row: a full triangle has half of its square.
static llvm::Error checkFactor(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), fill = options.integer("fill");
  const int64_t earlier = options.integer("width") * std::min(fill, options.integer("band"));
  return checkFits(rows, rows, rows + rows * std::min(earlier, rows) / 2, availableMemory(),
                   "at least ");
}

llvm::Expected<CsrMatrix> generateFactor(const SpecOptions &options) {
  if (llvm::Error error = checkFactor(options))
    return error;
  const int64_t rows = options.integer("rows");
  const Values values = valuesOf(options);
  const Supernodes supernodes(rows, options.integer("width"), options.integer("fill"),
                              options.integer("band"), values.seed);
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 0;
    supernodes.forRuns(row, [&](int32_t begin, int32_t end) { length += end - begin; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    supernodes.forRuns(row, [&](int32_t begin, int32_t end) {
      std::iota(next, next + (end - begin), begin);
      next += end - begin;
    });
  };
  return buildMatrix(rows, rows, values, lengthOf, fillColumns);
}

// --- Lp ------------------------------------------------------------------------------------------

// Set-covering problems, like the rail matrices of the SuiteSparse collection: few rows (trips that
// must be covered) and very many columns (duties of crews). The first columns are slack columns
// with one entry each. The others come in pairs, because similar duties are listed one after
// another. Measured on rail507: row lengths follow an exponential law (median 0.62 times and
// largest 9.6 times the mean), and 2 x 2 tiles are filled to 0.44. The defaults give the size of
// rail4284.

constexpr int64_t kRun = 2; // columns of a pair

// The maximum number of entries of a row: its slack column and all pairs.
static int64_t longestRow(int64_t rows, int64_t cols) { return 1 + (cols - rows) / kRun * kRun; }

static llvm::Error checkLp(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const double avg = options.real("avg");
  if (rows > cols)
    return fail(Status::badCall,
                "lp: rows={0} exceeds cols={1}, but each row needs a slack column of its own", rows,
                cols);
  if (avg > static_cast<double>(longestRow(rows, cols)))
    return fail(Status::badCall, "lp: avg={0} exceeds the {1} entries that a row can have",
                options.text("avg"), longestRow(rows, cols));
  return checkMean(options, "lp", "avg");
}

static std::vector<int32_t> drawLpLengths(const SpecOptions &options) {
  const int64_t rows = options.integer("rows");
  const int64_t longest = longestRow(rows, options.integer("cols"));
  const double avg = options.real("avg");
  std::vector<int32_t> lengths = exponentialLengths(rows, std::max(0.0, avg - 1));
  for (int32_t &length : lengths)
    ++length;
  shuffle(Random(seedOf(options), Drawn::lengths, 0), lengths);
  meetTotal(lengths, std::llround(avg * static_cast<double>(rows)),
            [&](int64_t) { return longest; });
  return lengths;
}

// Fills a row with its slack column and the pairs that are drawn for it.
static void fillLpRow(Random random, int64_t row, int64_t rows, int64_t cols,
                      std::span<int32_t> col) {
  if (col.empty())
    return;
  col[0] = static_cast<int32_t>(row);
  const std::span<int32_t> duties = col.subspan(1);
  drawDistinct(random, duties.first((duties.size() + kRun - 1) / kRun), (cols - rows) / kRun);
  expandBlocks(duties, kRun);
  for (int32_t &column : duties)
    column += static_cast<int32_t>(rows);
}

llvm::Expected<CsrMatrix> generateLp(const SpecOptions &options) {
  if (llvm::Error error = checkLp(options))
    return error;
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const bool oneOrTwo = options.text("values") == "1..2";
  const std::vector<int32_t> lengths = drawLpLengths(options);
  const auto lengthOf = [&](int64_t row) { return lengths[static_cast<size_t>(row)]; };
  const auto fillRow = [&, drawn = valuesOf(options)](int64_t row, std::span<int32_t> col,
                                                      std::span<double> val) {
    fillLpRow(Random(drawn.seed, Drawn::columns, row), row, rows, cols, col);
    Random values(drawn.seed, Drawn::values, row);
    if (oneOrTwo)
      std::generate(val.begin(), val.end(), [&] { return 1 + values.below(2); });
    else
      drawValues(values, drawn.integers, val);
  };
  return buildMatrix(rows, cols, lengthOf, fillRow);
}

} // namespace specmv
