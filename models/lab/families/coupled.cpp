// Several unknowns per grid point, coupled to those of the point's neighbours, with single
// couplings missing at random. The blocks are therefore not full, as in systems in which not every
// equation contains every unknown. The diagonal is never missing. The pattern is not symmetric.
#include "models/lab/families/grid.h"

#include "models/base/machine_memory.h"

#include <cmath>

namespace specmv {
namespace {
struct Couplings {
  Grid grid;
  std::span<const Offset> stencil;
  int64_t unknowns;
  double missing;
  uint64_t seed;

  // Calls f with the columns of a row, ascending. Every call draws the same numbers.
  template <class F> void forRow(int64_t row, const F &f) const {
    std::array<int32_t, kStencil27.size()> points;
    const size_t count = fillNeighbours(grid, stencil, row / unknowns, points);
    Random random(seed, Drawn::columns, row);
    for (const int32_t point : std::span(points).first(count))
      for (int64_t col = point * unknowns; col < (point + 1) * unknowns; ++col)
        if (random.unit() >= missing || col == row)
          f(col);
  }
};
} // namespace

// Refuses a matrix by its expected number of entries, since counting them would take minutes.
static llvm::Error checkCoupled(const Couplings &c) {
  if (llvm::Error error = checkGrid(c.grid, {}, c.unknowns))
    return error;
  const int64_t rows = c.unknowns * c.grid.points();
  const int64_t all = countNeighbours(c.grid, c.stencil) * c.unknowns * c.unknowns;
  const double kept = (1 - c.missing) * static_cast<double>(all - rows);
  return checkFits(rows, rows, rows + std::llround(kept), availableMemory());
}

llvm::Expected<CsrMatrix> generateCoupled(const SpecOptions &options) {
  const Values values = valuesOf(options);
  const std::span<const Offset> stencil =
      options.text("stencil") == "27" ? std::span<const Offset>(kStencil27) : kStencil7;
  const Couplings couplings{grid3d(options), stencil, options.integer("b"), options.real("missing"),
                            values.seed};
  if (llvm::Error error = checkCoupled(couplings))
    return error;
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 0;
    couplings.forRow(row, [&](int64_t) { ++length; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    couplings.forRow(row, [&](int64_t column) { *next++ = static_cast<int32_t>(column); });
  };
  const int64_t rows = couplings.unknowns * couplings.grid.points();
  return buildMatrix(rows, rows, values, lengthOf, fillColumns);
}

} // namespace specmv
