// Set-covering problems, like the rail matrices of the SuiteSparse collection: few rows (trips that
// must be covered) and very many columns (duties of crews). The first columns are slack columns
// with one entry each. The others come in pairs, because similar duties are listed one after
// another. Measured on rail507: row lengths follow an exponential law (median 0.62 times and
// largest 9.6 times the mean), and 2 x 2 tiles are filled to 0.44. The defaults give the size of
// rail4284.
#include "models/lab/families/lengths.h"

#include "models/base/error.h"

#include <cmath>

namespace specmv {
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
