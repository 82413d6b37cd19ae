// Matrices of grids: stencils, couplings of several unknowns, saddle points, and lattices of four
// dimensions.
#include "models/lab/families/grid.h"

#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/lab/families/build.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace specmv {

// --- Grid ----------------------------------------------------------------------------------------

// Counts and lists the neighbours of the points of a regular grid.

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

// --- Stencils ------------------------------------------------------------------------------------

// Stencils on a regular grid whose points are numbered along x first: the 5- and 9-point Laplacians
// in two dimensions, the 7- and 27-point ones in three, and the coupling of elasticity, a 3 x 3
// block for each of the 27 points.

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

// --- Transfer ------------------------------------------------------------------------------------

// The transfers between two grids of a multigrid method. The coarse grid has every other point of
// the fine one along each axis, so of n points 2 n - 1 are made. The prolongation interpolates
// linearly: a fine point takes 1, 2, 4 or 8 coarse ones, between which it lies. The restriction has
// the transposed pattern: a coarse point takes up to 27 fine ones.

namespace {
// Neighbouring points along one axis, both ends inclusive.
struct Run {
  int first, last;
  int64_t size() const { return last - first + 1; }
};

struct Transfer {
  Grid from, to; // columns and rows
  bool isProlongation;

  Run along(int at, int64_t side) const {
    if (isProlongation)
      return {at / 2, (at + 1) / 2};
    return {std::max(2 * at - 1, 0), std::min(2 * at + 1, static_cast<int>(side) - 1)};
  }
  std::array<Run, 3> runs(int64_t row) const {
    const Offset at = to.point(row);
    return {along(at.x, from.nx), along(at.y, from.ny), along(at.z, from.nz)};
  }
  int64_t length(int64_t row) const {
    const auto [x, y, z] = runs(row);
    return x.size() * y.size() * z.size();
  }
  void fill(int64_t row, std::span<int32_t> col) const {
    const auto [runX, runY, runZ] = runs(row);
    auto next = col.begin();
    for (int z = runZ.first; z <= runZ.last; ++z)
      for (int y = runY.first; y <= runY.last; ++y)
        for (int x = runX.first; x <= runX.last; ++x)
          *next++ = static_cast<int32_t>(from.number({x, y, z}));
  }
};
} // namespace

llvm::Expected<CsrMatrix> generateTransfer(const SpecOptions &options) {
  const Grid coarse = grid3d(options);
  // A transfer has as many entries as the 27-point stencil on the coarse grid, and not more rows:
  // along an axis both are 3 n - 2, since 2 of 3 steps from a coarse point lead to a fine one.
  if (llvm::Error error = checkGrid(coarse, kStencil27, 1))
    return error;
  const Grid fine{2 * coarse.nx - 1, 2 * coarse.ny - 1, 2 * coarse.nz - 1};
  const bool isProlongation = options.text("of") == "prolongation";
  const Transfer transfer =
      isProlongation ? Transfer{coarse, fine, true} : Transfer{fine, coarse, false};
  return buildMatrix(
      transfer.to.points(), transfer.from.points(), valuesOf(options),
      [&](int64_t row) { return transfer.length(row); },
      [&](int64_t row, std::span<int32_t> col) { transfer.fill(row, col); });
}

// --- Kkt -----------------------------------------------------------------------------------------

// Saddle points [[H, A^T], [A, 0]] as those of Stokes' equations on staggered grids (Harlow and
// Welch, "Numerical calculation of time-dependent viscous incompressible flow", 1965). A cell has a
// pressure, and a face between two cells has the velocity across it. H is the 7-point Laplacian of
// the faces of each direction. A is the divergence: a pressure is coupled to the faces of its cell.
// The unknowns are the faces across x, those across y, those across z, then the pressures.

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

// --- Coupled -------------------------------------------------------------------------------------

// Several unknowns per grid point, coupled to those of the point's neighbours, with single
// couplings missing at random. The blocks are therefore not full, as in systems in which not every
// equation contains every unknown. The diagonal is never missing. The pattern is not symmetric.

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

// --- Dg ------------------------------------------------------------------------------------------

// Discontinuous Galerkin matrices: each element has its own unknowns, which full blocks couple to
// each other and to those of the elements across its faces. The elements are the triangles or
// tetrahedra into which the cells of a grid are cut (Kuhn): one for each order of the axes. Its
// corners are on the path from a cell's lowest corner to its highest that takes the axes in this
// order.

namespace {
using Axes = std::array<int, 3>;

// Orders of the axes. The first two permute only x and y and belong to triangles.
constexpr std::array<Axes, 6> kOrders = {
    {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

struct Elements {
  int64_t side, dim; // cells per side, and dimensions

  int64_t perCell() const { return dim == 2 ? 2 : 6; }
  int64_t count() const { return perCell() * side * side * (dim == 2 ? 1 : side); }
  int64_t stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? side : side * side; }

  // Calls f with an element and with its neighbours across its faces. The face without one of the
  // inner corners of the path is inside the cell, and the neighbour has two axes swapped. The face
  // without the first corner is where the cell ends along the first axis; the neighbour is in the
  // next cell and has this axis last. The face without the last corner is the reverse case.
  template <class F> void forNeighbours(int64_t element, const F &f) const {
    const int64_t cell = element / perCell();
    const Axes &order = kOrders[static_cast<size_t>(element % perCell())];
    const int last = order[static_cast<size_t>(dim - 1)];
    const auto inCell = [&](int64_t at, const Axes &axes) {
      f(at * perCell() + (std::find(kOrders.begin(), kOrders.end(), axes) - kOrders.begin()));
    };
    inCell(cell, order);
    for (size_t corner = 1; corner < static_cast<size_t>(dim); ++corner) {
      Axes swapped = order;
      std::swap(swapped[corner - 1], swapped[corner]);
      inCell(cell, swapped);
    }
    if (Axes behind = order; cell / stride(order.front()) % side + 1 < side) {
      std::rotate(behind.begin(), behind.begin() + 1, behind.begin() + dim);
      inCell(cell + stride(order.front()), behind);
    }
    if (Axes before = order; cell / stride(last) % side > 0) {
      std::rotate(before.begin(), before.begin() + dim - 1, before.begin() + dim);
      inCell(cell - stride(last), before);
    }
  }
};
} // namespace

// There are at most 32767 cells per side, so the products are below 2^48.
static llvm::Error checkElements(const Elements &elements, int64_t unknowns) {
  if (elements.count() <= kMaxIndex / unknowns)
    return llvm::Error::success();
  return fail(Status::badCall, "dg: n={0} cells per side (dim={1}, b={2}) have more than {3} rows",
              elements.side, elements.dim, unknowns, kMaxIndex);
}

llvm::Expected<CsrMatrix> generateDg(const SpecOptions &options) {
  const Elements elements{options.integer("n"), options.integer("dim")};
  const int64_t b = options.integer("b");
  if (llvm::Error error = checkElements(elements, b))
    return error;
  const auto lengthOf = [&](int64_t row) {
    int64_t blocks = 0;
    elements.forNeighbours(row / b, [&](int64_t) { ++blocks; });
    return blocks * b;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto block = col.begin();
    elements.forNeighbours(row / b, [&](int64_t other) { *block++ = static_cast<int32_t>(other); });
    std::sort(col.begin(), block);
    expandBlocks(col, static_cast<size_t>(b));
  };
  const int64_t rows = b * elements.count();
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

// --- Torus ---------------------------------------------------------------------------------------

// Lattices of four dimensions whose opposite sides are neighbours, for families of lattice quantum
// chromodynamics.

// Sites are numbered along the first axis first.
struct Torus {
  std::array<int64_t, 4> sides;

  // The site one step forth or back along an axis.
  int64_t neighbour(int64_t site, int axis, bool forth) const {
    int64_t stride = 1;
    for (int a = 0; a < axis; ++a)
      stride *= sides[static_cast<size_t>(a)];
    const int64_t l = sides[static_cast<size_t>(axis)], at = site / stride % l;
    const int64_t moved = forth ? (at + 1 < l ? at + 1 : 0) : (at > 0 ? at - 1 : l - 1);
    return site + (moved - at) * stride;
  }
};

// --- Lattice -------------------------------------------------------------------------------------

// Lattices of four dimensions as in quantum chromodynamics with staggered fermions: a torus of l^3
// sites in space and t in time. A site has b unknowns, coupled by full b x b blocks to each other
// and to those of the 8 neighbouring sites.

constexpr int64_t kSitesPerRow = 9;

llvm::Expected<CsrMatrix> generateLattice(const SpecOptions &options) {
  const int64_t l = options.integer("l"), t = options.integer("t"), b = options.integer("b");
  const int64_t rows = l * l * l * t * b;
  if (llvm::Error error = checkFits(rows, rows, kSitesPerRow * b * rows, availableMemory()))
    return error;
  const Torus torus{{l, l, l, t}};
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    const int64_t site = row / b;
    auto block = col.begin();
    *block++ = static_cast<int32_t>(site);
    for (int axis = 0; axis < 4; ++axis)
      for (const bool forth : {false, true})
        *block++ = static_cast<int32_t>(torus.neighbour(site, axis, forth));
    std::sort(col.begin(), block);
    expandBlocks(col, static_cast<size_t>(b));
  };
  return buildMatrix(
      rows, rows, valuesOf(options), [b](int64_t) { return kSitesPerRow * b; }, fillColumns);
}

// --- Qcd -----------------------------------------------------------------------------------------

// The Wilson-Dirac hopping matrix of lattice quantum chromodynamics on a torus of l^4 sites. A site
// has 4 spins of 3 colours, which are 12 rows; each is coupled to the 8 neighbouring sites by full
// 3 x 3 colour blocks. Along the 3 directions of space, the gamma matrices (in Dirac's
// representation) are off-diagonal: a row is coupled to its own spin and to one other, 2 blocks for
// each neighbour. Along time, gamma is diagonal: 1 - gamma and 1 + gamma keep two spins each, so a
// row has one block, for either the previous or the next neighbour. A row has 6 x 2 + 1 = 13
// blocks, which are 39 entries: none on the diagonal, 36 with a mirror image. The SuiteSparse
// collection reports the same for conf5_4-8x8 (l = 8: 49,152 rows), whose numbering may differ.

constexpr int64_t kColours = 3, kSpins = 4, kUnknowns = kColours * kSpins;
constexpr int64_t kBlocksPerRow = 13;
constexpr int kTime = 3;

// The other spin that a step along x, y or z reaches: sigma_x and sigma_y swap the two spins of the
// pair that they map, sigma_z keeps them.
constexpr int64_t partner(int axis, int64_t spin) { return axis == 2 ? spin ^ 2 : spin ^ 3; }

static void fillRow(int64_t row, const Torus &torus, std::span<int32_t> col) {
  const int64_t site = row / kUnknowns, spin = row % kUnknowns / kColours;
  auto block = col.begin();
  const auto add = [&](int64_t other, int64_t itsSpin) {
    *block++ = static_cast<int32_t>(other * kSpins + itsSpin);
  };
  for (int axis = 0; axis < kTime; ++axis)
    for (const bool forth : {false, true}) {
      const int64_t other = torus.neighbour(site, axis, forth);
      add(other, spin);
      add(other, partner(axis, spin));
    }
  add(torus.neighbour(site, kTime, spin >= kSpins / 2), spin); // 1 - gamma forth, 1 + gamma back
  std::sort(col.begin(), block);
  expandBlocks(col, kColours);
}

llvm::Expected<CsrMatrix> generateQcd(const SpecOptions &options) {
  const int64_t l = options.integer("l"), rows = kUnknowns * l * l * l * l;
  if (llvm::Error error = checkFits(rows, rows, kBlocksPerRow * kColours * rows, availableMemory()))
    return error;
  const Torus torus{{l, l, l, l}};
  return buildMatrix(
      rows, rows, valuesOf(options), [](int64_t) { return kBlocksPerRow * kColours; },
      [&torus](int64_t row, std::span<int32_t> col) { fillRow(row, torus, col); });
}

} // namespace specmv
