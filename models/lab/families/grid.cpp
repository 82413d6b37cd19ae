// Counts and lists the neighbours of the points of a regular grid.
#include "models/lab/families/grid.h"

#include "models/base/error.h"

#include <algorithm>
#include <cstdlib>

namespace specmv {

Grid grid3d(const SpecOptions &options) {
  return {options.integer("nx"), options.integer("ny"), options.integer("nz")};
}

// In a grid that is not periodic, (nx-|x|)(ny-|y|)(nz-|z|) points have a neighbour at the offset
// (x, y, z); in a periodic grid, all points have one.
int64_t countNeighbours(const Grid &grid, std::span<const Offset> stencil) {
  int64_t entries = 0;
  for (const Offset &offset : stencil) {
    const Offset o = grid.periodic ? Offset{0, 0, 0} : offset;
    entries += (grid.nx - std::abs(o.x)) * (grid.ny - std::abs(o.y)) * (grid.nz - std::abs(o.z));
  }
  return entries;
}

llvm::Error checkGrid(const Grid &grid, std::span<const Offset> stencil, int64_t unknowns) {
  const int64_t plane = grid.nx * grid.ny; // < 2^62; if the first test holds, so is the next
  const bool fits = plane <= kMaxIndex && plane * grid.nz <= kMaxIndex / unknowns;
  if (fits && countNeighbours(grid, stencil) <= kMaxIndex / (unknowns * unknowns))
    return llvm::Error::success();
  return fail(Status::badCall, "a grid of {0} x {1} x {2} points has more than {3} {4}", grid.nx,
              grid.ny, grid.nz, kMaxIndex, fits ? "entries" : "rows");
}

int64_t countNeighbours(const Grid &grid, std::span<const Offset> stencil, int64_t index) {
  if (grid.periodic)
    return static_cast<int64_t>(stencil.size());
  const Offset point = grid.point(index);
  return std::count_if(stencil.begin(), stencil.end(),
                       [&](const Offset &offset) { return grid.contains(point + offset); });
}

size_t fillNeighbours(const Grid &grid, std::span<const Offset> stencil, int64_t index,
                      std::span<int32_t> out) {
  const Offset point = grid.point(index);
  size_t count = 0;
  for (const Offset &o : stencil) {
    const Offset other = grid.periodic ? grid.wrapped(point + o) : point + o;
    if (grid.contains(other))
      out[count++] = static_cast<int32_t>(grid.number(other));
  }
  if (grid.periodic) // wrapped neighbours are out of order
    std::sort(out.begin(), out.begin() + static_cast<ptrdiff_t>(count));
  return count;
}

} // namespace specmv
