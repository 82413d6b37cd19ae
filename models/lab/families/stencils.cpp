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

constexpr int64_t kDirections = 3;

// The values of a row of elasticity on a uniform mesh with so many kinds of points.
static void drawCouplings(const Grid &grid, const Values &values, int64_t materials, int64_t row,
                          std::span<const int32_t> col, std::span<double> val) {
  const int64_t index = row / kDirections, unknown = row % kDirections;
  const Offset own = grid.point(index);
  const int64_t kind = Random(values.seed, Drawn::lengths, index).below(materials);
  for (size_t e = 0; e < col.size(); ++e) {
    const Offset other = grid.point(col[e] / kDirections);
    const int64_t direction =
        other.x - own.x + 1 + 3 * (other.y - own.y + 1 + 3 * (other.z - own.z + 1));
    const int64_t coupling = unknown * kDirections + col[e] % kDirections;
    drawValues(Random(values.seed, Drawn::values, (kind * 27 + direction) * 9 + coupling),
               values.integers, val.subspan(e, 1));
  }
}

// The unknowns of a point are numbered consecutively. All 3 x 3 couplings of two neighbours are
// entries, as for a material with varying properties, or for several materials.
llvm::Expected<CsrMatrix> generateElasticity(const SpecOptions &options) {
  const Grid grid = grid3d(options);
  if (llvm::Error error = checkGrid(grid, kStencil27, kDirections))
    return error;
  const int64_t rows = kDirections * grid.points(), materials = options.integer("materials");
  const Values values = valuesOf(options);
  const auto lengthOf = [&](int64_t row) {
    return kDirections * countNeighbours(grid, kStencil27, row / kDirections);
  };
  const auto fillRow = [&](int64_t row, std::span<int32_t> col, std::span<double> val) {
    fillNeighbours(grid, kStencil27, row / kDirections, col.first(col.size() / kDirections));
    expandBlocks(col, kDirections);
    if (materials > 0)
      drawCouplings(grid, values, materials, row, col, val);
    else
      drawValues(Random(values.seed, Drawn::values, row), values.integers, val);
  };
  return buildMatrix(rows, rows, lengthOf, fillRow);
}

} // namespace specmv
