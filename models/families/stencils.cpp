// Stencils on a regular grid whose points are numbered along x first: the 5- and 9-point Laplacian
// in two dimensions, the 7- and 27-point one in three, and the coupling of elasticity, a 3 x 3
// block for each of the 27 points. Neighbours outside the grid are dropped (Dirichlet).
#include "models/families/build.h"

#include "models/base/error.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace specmv {
namespace {
struct Offset {
  int x, y, z;
};

struct Grid {
  int64_t nx, ny, nz;
  bool contains(const Offset &p) const {
    return p.x >= 0 && p.x < nx && p.y >= 0 && p.y < ny && p.z >= 0 && p.z < nz;
  }
  // Unsigned 32-bit divisions are several times faster than 64-bit ones; the rows fit them.
  Offset point(int64_t row) const {
    const auto index = static_cast<uint32_t>(row), w = static_cast<uint32_t>(nx),
               h = static_cast<uint32_t>(ny);
    return {static_cast<int>(index % w), static_cast<int>(index / w % h),
            static_cast<int>(index / w / h)};
  }
};
} // namespace

constexpr int distance(const Offset &o) {
  return (o.x < 0 ? -o.x : o.x) + (o.y < 0 ? -o.y : o.y) + (o.z < 0 ? -o.z : o.z);
}

constexpr Offset operator+(const Offset &a, const Offset &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

// The points of the 3 x 3 x 3 neighbourhood (depth 1; depth 0 is its plane z = 0) within `reach`
// steps along the axes, in the order of their columns.
template <size_t N> constexpr std::array<Offset, N> neighbours(int depth, int reach) {
  std::array<Offset, N> offsets{};
  size_t count = 0;
  for (int z = -depth; z <= depth; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (distance({x, y, z}) <= reach)
          offsets[count++] = {x, y, z};
  return offsets;
}

constexpr auto kStencil5 = neighbours<5>(0, 1);
constexpr auto kStencil9 = neighbours<9>(0, 2);
constexpr auto kStencil7 = neighbours<7>(1, 1);
constexpr auto kStencil27 = neighbours<27>(1, 3);

// Number of entries: an offset (x, y, z) has a neighbour in (nx-|x|)(ny-|y|)(nz-|z|) points.
static int64_t countNeighbours(const Grid &grid, std::span<const Offset> stencil) {
  int64_t entries = 0;
  for (const Offset &o : stencil)
    entries += (grid.nx - std::abs(o.x)) * (grid.ny - std::abs(o.y)) * (grid.nz - std::abs(o.z));
  return entries;
}

static llvm::Error checkGrid(const Grid &grid, std::span<const Offset> stencil, int64_t unknowns) {
  const int64_t plane = grid.nx * grid.ny; // below 2^62, like the next where the first fits
  const bool fits = plane <= kMaxIndex && plane * grid.nz <= kMaxIndex / unknowns;
  if (fits && countNeighbours(grid, stencil) <= kMaxIndex / (unknowns * unknowns))
    return llvm::Error::success();
  return fail(Status::badCall, "a grid of {0} x {1} x {2} points has more than {3} {4}", grid.nx,
              grid.ny, grid.nz, kMaxIndex, fits ? "entries" : "rows");
}

static int64_t countNeighbours(const Grid &grid, std::span<const Offset> stencil, int64_t index) {
  const Offset point = grid.point(index);
  return std::count_if(stencil.begin(), stencil.end(),
                       [&](const Offset &offset) { return grid.contains(point + offset); });
}

// Writes the numbers of a point's neighbours, itself among them, ascending.
static void fillNeighbours(const Grid &grid, std::span<const Offset> stencil, int64_t index,
                           std::span<int32_t> out) {
  const Offset point = grid.point(index);
  auto next = out.begin();
  for (const Offset &o : stencil)
    if (grid.contains(point + o))
      *next++ = static_cast<int32_t>(index + o.x + grid.nx * (o.y + grid.ny * o.z));
}

static llvm::Expected<CsrMatrix> generate(const SpecOptions &options, const Grid &grid,
                                          std::span<const Offset> stencil) {
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
  const int64_t points = grid.nx * grid.ny * grid.nz;
  return buildMatrix(points, points, lengthOf, fillRow);
}

static Grid grid3d(const SpecOptions &options) {
  return {options.integer("nx"), options.integer("ny"), options.integer("nz")};
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

// The unknowns of a point are numbered one after another. All 3 x 3 couplings of two neighbours are
// entries, as for a material that varies.
llvm::Expected<CsrMatrix> generateElasticity(const SpecOptions &options) {
  constexpr int64_t kUnknowns = 3;
  const Grid grid = grid3d(options);
  if (llvm::Error error = checkGrid(grid, kStencil27, kUnknowns))
    return error;
  const int64_t rows = kUnknowns * grid.nx * grid.ny * grid.nz;
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
