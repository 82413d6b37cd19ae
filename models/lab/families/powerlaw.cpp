// Rows whose lengths follow a power law, with half of their columns near the diagonal, like web and
// social graphs.
#include "models/lab/families/pareto.h"

namespace specmv {
// The number of columns on either side of the diagonal that count as near, unless the row is
// longer: 129 floats are a few cache lines (chosen, not measured).
constexpr int64_t kLocalHalf = 64;

llvm::Expected<CsrMatrix> generatePowerlaw(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  auto lengths = drawPowerLaw(options, "powerlaw");
  if (!lengths)
    return lengths.takeError();
  const auto lengthOf = [&](int64_t row) { return (*lengths)[static_cast<size_t>(row)]; };
  const auto fillColumns = [&, seed = seedOf(options)](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    const size_t local = (col.size() + 1) / 2;
    const int64_t half = std::max(kLocalHalf, static_cast<int64_t>(col.size()));
    const Window window = windowOf(row, rows, cols, half);
    extendDistinct(random, col.first(local), 0, window.begin, window.end);
    extendDistinct(random, col, local, 0, cols);
  };
  return buildMatrix(options, lengthOf, fillColumns);
}

} // namespace specmv
