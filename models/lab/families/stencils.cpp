// Stencils on a regular grid whose points are numbered along x first: the 5- and 9-point Laplacians
// in two dimensions, the 7- and 27-point ones in three, and the coupling of elasticity, a 3 x 3
// block for each of the 27 points.
#include "models/lab/families/grid.h"

#include "models/base/error.h"

#include <algorithm>

namespace specmv {
// In a periodic grid with 1 or 2 points per side, both directions lead to the same neighbour.
static llvm::Error checkPeriodic(const Grid &grid, bool flat) {
  if (!grid.periodic || (std::min(grid.nx, grid.ny) >= 3 && (flat || grid.nz >= 3)))
    return llvm::Error::success();
  return fail(
      Status::badCall,
      "boundary=periodic needs at least 3 points per side, but the grid has {0} x {1} x {2}; "
      "boundary=open accepts any size",
      grid.nx, grid.ny, grid.nz);
}

static llvm::Expected<CsrMatrix> generate(const SpecOptions &options, Grid grid,
                                          std::span<const Offset> stencil) {
  grid.periodic = options.text("boundary") == "periodic";
  if (llvm::Error error = checkPeriodic(grid, stencil.front().z == 0))
    return error;
  if (llvm::Error error = checkGrid(grid, stencil, 1))
    return error;
  const bool constant = options.text("coef") == "constant";
  const uint64_t seed = seedOf(options);
  const double centre = static_cast<double>(stencil.size()) - 1;
  const auto lengthOf = [&](int64_t row) { return countNeighbours(grid, stencil, row); };
  const auto fillRow = [&](int64_t row, std::span<int32_t> col, std::span<double> val) {
    fillNeighbours(grid, stencil, row, col);
    std::transform(col.begin(), col.end(), val.begin(),
                   [&](int32_t column) { return column == row ? centre : -1; });
    if (!constant)
      drawValues(Random(seed, Drawn::values, row), false, val);
  };
  return buildMatrix(grid.points(), grid.points(), lengthOf, fillRow);
}

static llvm::Expected<CsrMatrix> generate2d(const SpecOptions &options,
                                            std::span<const Offset> stencil) {
  return generate(options, {options.integer("nx"), options.integer("ny"), 1}, stencil);
}

static llvm::Expected<CsrMatrix> generate3d(const SpecOptions &options,
                                            std::span<const Offset> stencil) {
  return generate(options, grid3d(options), stencil);
}

llvm::Expected<CsrMatrix> generateStencil5(const SpecOptions &options) {
  return generate2d(options, kStencil5);
}

llvm::Expected<CsrMatrix> generateStencil9(const SpecOptions &options) {
  return generate2d(options, kStencil9);
}

llvm::Expected<CsrMatrix> generateStencil7(const SpecOptions &options) {
  return generate3d(options, kStencil7);
}

llvm::Expected<CsrMatrix> generateStencil27(const SpecOptions &options) {
  return generate3d(options, kStencil27);
}

// The unknowns of a point are numbered consecutively. All 3 x 3 couplings of two neighbours are
// entries, as for a material with varying properties.
llvm::Expected<CsrMatrix> generateElasticity(const SpecOptions &options) {
  constexpr int64_t kUnknowns = 3;
  const Grid grid = grid3d(options);
  if (llvm::Error error = checkGrid(grid, kStencil27, kUnknowns))
    return error;
  const int64_t rows = kUnknowns * grid.points();
  const auto lengthOf = [&](int64_t row) {
    return kUnknowns * countNeighbours(grid, kStencil27, row / kUnknowns);
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    fillNeighbours(grid, kStencil27, row / kUnknowns, col.first(col.size() / kUnknowns));
    expandBlocks(col, kUnknowns);
  };
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

} // namespace specmv
