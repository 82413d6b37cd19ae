// Families whose columns are drawn at random: from the whole row, from a band, as blocks from a
// band, and from the whole row with a few very long rows.
#include "models/lab/families/lengths.h"

#include "models/base/error.h"

namespace specmv {
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

} // namespace specmv
