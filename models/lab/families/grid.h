// Regular grids whose points are numbered along x first, and the stencils on them, for families
// whose rows are the points of a grid.
#pragma once

#include "models/lab/families/build.h"

#include <array>

namespace specmv {

// A point of a grid, or the step from one point to another.
struct Offset {
  int x, y, z;
};

constexpr Offset operator+(const Offset &a, const Offset &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

// The number of steps along the axes.
constexpr int distance(const Offset &o) {
  return (o.x < 0 ? -o.x : o.x) + (o.y < 0 ? -o.y : o.y) + (o.z < 0 ? -o.z : o.z);
}

// Neighbours outside the grid are dropped (Dirichlet), unless the grid is periodic: then its
// opposite sides are neighbours.
struct Grid {
  int64_t nx, ny, nz;
  bool periodic = false;

  int64_t points() const { return nx * ny * nz; }
  bool contains(const Offset &p) const {
    return p.x >= 0 && p.x < nx && p.y >= 0 && p.y < ny && p.z >= 0 && p.z < nz;
  }
  // Unsigned 32-bit divisions are several times faster than 64-bit ones, and the rows fit 32 bits.
  Offset point(int64_t index) const {
    const auto i = static_cast<uint32_t>(index), w = static_cast<uint32_t>(nx),
               h = static_cast<uint32_t>(ny);
    return {static_cast<int>(i % w), static_cast<int>(i / w % h), static_cast<int>(i / w / h)};
  }
  int64_t number(const Offset &p) const { return p.x + nx * (p.y + ny * p.z); }
  // Maps a point that is at most one step outside a periodic grid to the point that it stands for.
  Offset wrapped(const Offset &p) const {
    const auto around = [](int at, int64_t side) {
      const int end = static_cast<int>(side);
      return at < 0 ? at + end : at < end ? at : at - end;
    };
    return {around(p.x, nx), around(p.y, ny), around(p.z, nz)};
  }
};

// The keys `nx`, `ny` and `nz`.
Grid grid3d(const SpecOptions &options);

// The points of the 3 x 3 x 3 neighbourhood (depth 1; depth 0 is its plane z = 0) that `belongs`
// accepts, in ascending order of their columns.
template <size_t N, class Belongs>
constexpr std::array<Offset, N> stencilOf(int depth, const Belongs &belongs) {
  std::array<Offset, N> offsets{};
  size_t count = 0;
  for (int z = -depth; z <= depth; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (belongs(Offset{x, y, z}))
          offsets[count++] = {x, y, z};
  return offsets;
}

// The points that are within `reach` steps along the axes.
template <size_t N> constexpr std::array<Offset, N> neighbours(int depth, int reach) {
  return stencilOf<N>(depth, [reach](const Offset &o) { return distance(o) <= reach; });
}

inline constexpr auto kStencil5 = neighbours<5>(0, 1);
inline constexpr auto kStencil9 = neighbours<9>(0, 2);
inline constexpr auto kStencil7 = neighbours<7>(1, 1);
inline constexpr auto kStencil27 = neighbours<27>(1, 3);

// Fails if the grid has more rows or entries than a matrix can have, with this number of unknowns
// per point and all neighbours of all points.
llvm::Error checkGrid(const Grid &grid, std::span<const Offset> stencil, int64_t unknowns);

// The number of neighbours of all points, and of one point; a point is its own neighbour.
int64_t countNeighbours(const Grid &grid, std::span<const Offset> stencil);
int64_t countNeighbours(const Grid &grid, std::span<const Offset> stencil, int64_t index);

// Writes the numbers of the neighbours, ascending, to the front of `out` and returns their count.
size_t fillNeighbours(const Grid &grid, std::span<const Offset> stencil, int64_t index,
                      std::span<int32_t> out);

} // namespace specmv
