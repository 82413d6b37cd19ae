// Saddle points [[H, A^T], [A, 0]] as those of Stokes' equations on staggered grids (Harlow and
// Welch, "Numerical calculation of time-dependent viscous incompressible flow", 1965). A cell has a
// pressure, and a face between two cells has the velocity across it. H is the 7-point Laplacian of
// the faces of each direction. A is the divergence: a pressure is coupled to the faces of its cell.
// The unknowns are the faces across x, those across y, those across z, then the pressures.
#include "models/lab/families/grid.h"

namespace specmv {
namespace {
constexpr std::array<Offset, 3> kAlong = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

class Staggered {
public:
  explicit Staggered(const Grid &cells)
      : grids_{{{cells.nx - 1, cells.ny, cells.nz},
                {cells.nx, cells.ny - 1, cells.nz},
                {cells.nx, cells.ny, cells.nz - 1},
                cells}} {
    for (size_t part = 0; part < grids_.size(); ++part)
      first_[part + 1] = first_[part] + grids_[part].points();
  }

  int64_t rows() const { return first_.back(); }

  int64_t length(int64_t row) const {
    const size_t part = partOf(row);
    if (part < kCells)
      return countNeighbours(grids_[part], kStencil7, row - first_[part]) + 2;
    int64_t faces = 0;
    forFaces(row, [&](int64_t) { ++faces; });
    return faces;
  }

  void fill(int64_t row, std::span<int32_t> col) const {
    const size_t part = partOf(row);
    auto next = col.begin();
    const auto add = [&](int64_t column) { *next++ = static_cast<int32_t>(column); };
    if (part == kCells)
      return forFaces(row, add);
    const int64_t face = row - first_[part];
    next += static_cast<ptrdiff_t>(fillNeighbours(grids_[part], kStencil7, face, col));
    for (int32_t &column : col.first(col.size() - 2))
      column += static_cast<int32_t>(first_[part]);
    const Offset cell = grids_[part].point(face); // the one before the face
    add(first_[kCells] + grids_[kCells].number(cell));
    add(first_[kCells] + grids_[kCells].number(cell + kAlong[part]));
  }

private:
  static constexpr size_t kCells = 3;

  size_t partOf(int64_t row) const {
    size_t part = 0;
    while (row >= first_[part + 1])
      ++part;
    return part;
  }

  // Calls f with the numbers of the faces of a pressure's cell, ascending. A wall has no face.
  template <class F> void forFaces(int64_t row, const F &f) const {
    const Offset cell = grids_[kCells].point(row - first_[kCells]);
    for (size_t axis = 0; axis < kAlong.size(); ++axis) {
      const Offset &step = kAlong[axis];
      for (const Offset &face : {cell + Offset{-step.x, -step.y, -step.z}, cell})
        if (grids_[axis].contains(face))
          f(first_[axis] + grids_[axis].number(face));
    }
  }

  std::array<Grid, 4> grids_;
  std::array<int64_t, 5> first_{}; // the first number of each part, and the end
};
} // namespace

llvm::Expected<CsrMatrix> generateKkt(const SpecOptions &options) {
  const Grid cells = grid3d(options);
  constexpr int64_t kMostPerCell = 4;
  if (llvm::Error error = checkGrid(cells, {}, kMostPerCell))
    return error;
  const Staggered unknowns(cells);
  return buildMatrix(
      unknowns.rows(), unknowns.rows(), valuesOf(options),
      [&](int64_t row) { return unknowns.length(row); },
      [&](int64_t row, std::span<int32_t> col) { unknowns.fill(row, col); });
}

} // namespace specmv
