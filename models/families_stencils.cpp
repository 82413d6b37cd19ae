// Stencils on a regular grid with points numbered x first: the 5- and 9-point Laplacian in two
// dimensions, the 7- and 27-point one in three. Neighbours outside the grid are dropped
// (Dirichlet).
#include "models/families_build.h"

#include "models/error.h"

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
int64_t countEntries(const Grid &grid, std::span<const Offset> stencil) {
  int64_t entries = 0;
  for (const Offset &o : stencil)
    entries += (grid.nx - std::abs(o.x)) * (grid.ny - std::abs(o.y)) * (grid.nz - std::abs(o.z));
  return entries;
}

llvm::Error checkSize(const Grid &grid, std::span<const Offset> stencil) {
  const bool fits = grid.nx * grid.ny <= kMaxIndex && grid.nx * grid.ny * grid.nz <= kMaxIndex;
  if (fits && countEntries(grid, stencil) <= kMaxIndex)
    return llvm::Error::success();
  return fail(Status::badCall, "a grid of {0} x {1} x {2} points has more than {3} {4}", grid.nx,
              grid.ny, grid.nz, kMaxIndex, fits ? "entries" : "rows");
}

llvm::Expected<CsrMatrix> generate(const SpecOptions &options, const Grid &grid,
                                   std::span<const Offset> stencil) {
  if (llvm::Error error = checkSize(grid, stencil))
    return error;
  const bool constant = options.text("coef") == "constant";
  const uint64_t seed = seedOf(options);
  const double centre = static_cast<double>(stencil.size()) - 1;
  const auto lengthOf = [&](int64_t row) {
    const Offset point = grid.point(row);
    int64_t length = 0;
    for (const Offset &offset : stencil)
      length += grid.contains(point + offset);
    return length;
  };
  const auto fillRow = [&](int64_t row, std::span<int32_t> col, std::span<double> val) {
    const Offset point = grid.point(row);
    size_t entry = 0;
    for (const Offset &offset : stencil) {
      if (!grid.contains(point + offset))
        continue;
      col[entry] = static_cast<int32_t>(row + offset.x + grid.nx * (offset.y + grid.ny * offset.z));
      val[entry++] = distance(offset) == 0 ? centre : -1;
    }
    if (!constant)
      drawValues(Random(seed, Drawn::values, row), false, val);
  };
  const int64_t points = grid.nx * grid.ny * grid.nz;
  return buildMatrix(points, points, lengthOf, fillRow);
}

llvm::Expected<CsrMatrix> generate2d(const SpecOptions &options, std::span<const Offset> stencil) {
  return generate(options, {options.integer("nx"), options.integer("ny"), 1}, stencil);
}

llvm::Expected<CsrMatrix> generate3d(const SpecOptions &options, std::span<const Offset> stencil) {
  return generate(options, {options.integer("nx"), options.integer("ny"), options.integer("nz")},
                  stencil);
}

} // namespace

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

} // namespace specmv
