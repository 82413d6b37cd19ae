// Matrices of meshes and of points in space: finite elements, atoms, nearest neighbours.
#include "models/lab/families/mesh.h"

#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/base/parallel.h"
#include "models/lab/families/build.h"
#include "models/lab/families/draws.h"
#include "models/lab/families/grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace specmv {

// --- Mesh ----------------------------------------------------------------------------------------

// Numbers the nodes of a mesh and builds its matrix.

std::vector<int32_t> allNodes(int64_t count) {
  std::vector<int32_t> nodes(static_cast<size_t>(count));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

static size_t endOf(std::span<const int32_t> nodes) {
  return nodes.empty() ? 0 : static_cast<size_t>(*std::max_element(nodes.begin(), nodes.end())) + 1;
}

// Adds the neighbours of a node that were not seen yet, those with the fewest neighbours first.
static void addUnseen(const StarOf &starOf, int32_t node, std::vector<bool> &seen,
                      std::vector<int32_t> &order) {
  std::array<std::pair<size_t, int32_t>, std::tuple_size_v<decltype(Star::node)>> found;
  size_t count = 0;
  for (const int32_t other : starOf(node))
    if (!seen[static_cast<size_t>(other)]) {
      seen[static_cast<size_t>(other)] = true;
      found[count++] = {starOf(other).size, other};
    }
  std::sort(found.begin(), found.begin() + count);
  for (size_t i = 0; i < count; ++i)
    order.push_back(found[i].second);
}

std::vector<int32_t> cuthillMcKee(std::span<const int32_t> nodes, const StarOf &starOf) {
  std::vector<int32_t> order;
  order.reserve(nodes.size());
  std::vector<bool> seen(endOf(nodes));
  for (const int32_t first : nodes) {
    if (seen[static_cast<size_t>(first)])
      continue;
    seen[static_cast<size_t>(first)] = true;
    order.push_back(first);
    for (size_t next = order.size() - 1; next < order.size(); ++next)
      addUnseen(starOf, order[next], seen, order);
  }
  return order;
}

std::vector<int32_t> randomOrder(std::vector<int32_t> nodes, uint64_t seed) {
  shuffle(Random(seed, Drawn::lengths, 0), nodes);
  return nodes;
}

std::vector<int32_t> numberedMesh(const SpecOptions &options, int64_t nodes, const StarOf &starOf) {
  return options.text("order") == "natural" ? cuthillMcKee(allNodes(nodes), starOf)
                                            : randomOrder(allNodes(nodes), seedOf(options));
}

llvm::Expected<CsrMatrix> buildMesh(std::span<const int32_t> order, const StarOf &starOf,
                                    const Values &values) {
  const auto rows = static_cast<int64_t>(order.size());
  std::vector<int32_t> rank(endOf(order));
  for (size_t row = 0; row < order.size(); ++row)
    rank[static_cast<size_t>(order[row])] = static_cast<int32_t>(row);
  const auto starOfRow = [&](int64_t row) { return starOf(order[static_cast<size_t>(row)]); };
  const auto lengthOf = [&](int64_t row) { return static_cast<int64_t>(starOfRow(row).size); };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    Star star = starOfRow(row);
    std::transform(star.begin(), star.end(), col.begin(),
                   [&](int32_t node) { return rank[static_cast<size_t>(node)]; });
    std::sort(col.begin(), col.end());
  };
  return buildMatrix(rows, rows, values, lengthOf, fillColumns);
}

// --- Fem2d ---------------------------------------------------------------------------------------

// Linear finite elements on an unstructured triangular mesh of the plane. The mesh is a net of
// quadrilaterals, each cut along a random one of its two diagonals, so that inner nodes have 4 to 8
// neighbours, 6 on average. Nodes are numbered as solvers do, by Cuthill and McKee, or at random.

namespace {
// `nodes` nodes in lines of `width`; the last line may be shorter.
class Mesh {
public:
  Mesh(int64_t nodes, uint64_t seed)
      : nodes_(nodes),
        width_(static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(nodes))))),
        seed_(seed) {}

  // The node itself and its neighbours, ascending.
  Star star(int64_t node) const {
    const int64_t x = node % width_, below = node - width_;
    Star star;
    if (below >= 0 && x > 0 && rises(below - 1))
      star.add(below - 1);
    if (below >= 0)
      star.add(below);
    if (below >= 0 && x + 1 < width_ && falls(below))
      star.add(below + 1);
    if (x > 0)
      star.add(node - 1);
    star.add(node);
    if (x + 1 < width_ && node + 1 < nodes_)
      star.add(node + 1);
    if (x > 0 && falls(node - 1))
      star.add(node + width_ - 1);
    if (node + width_ < nodes_)
      star.add(node + width_);
    if (x + 1 < width_ && rises(node))
      star.add(node + width_ + 1);
    return star;
  }

private:
  // These choose the diagonal of the quadrilateral whose first corner is `corner`. If the last line
  // ends before the last corner, it is a triangle whose third side is the falling diagonal.
  bool whole(int64_t corner) const { return corner + width_ + 1 < nodes_; }
  bool drawn(int64_t corner) const { return Random(seed_, Drawn::columns, corner).below(2) == 0; }
  bool rises(int64_t corner) const { return whole(corner) && drawn(corner); }
  bool falls(int64_t corner) const {
    return corner + width_ < nodes_ && !(whole(corner) && drawn(corner));
  }

  int64_t nodes_, width_;
  uint64_t seed_;
};
} // namespace

llvm::Expected<CsrMatrix> generateFem2d(const SpecOptions &options) {
  const int64_t rows = options.integer("rows");
  // 7 entries per row, and memory for the numberings.
  if (llvm::Error error = checkFits(rows, rows, 7 * rows, availableMemory()))
    return error;
  const Values values = valuesOf(options);
  const Mesh mesh(rows, values.seed);
  const auto starOf = [&](int64_t node) { return mesh.star(node); };
  return buildMesh(numberedMesh(options, rows, starOf), starOf, values);
}

// --- Fem3d ---------------------------------------------------------------------------------------

// Linear finite elements on a tetrahedral mesh: the cubes of a grid, each cut into six tetrahedra
// (Kuhn; Freudenthal), with nodes removed at random so that rows differ in length. A node is
// coupled to those nodes that are one step in the same direction along some of the axes: 15 entries
// with the diagonal if no node is missing. Moving the nodes would not change the pattern.

constexpr auto kTetrahedra = stencilOf<15>(1, [](const Offset &o) {
  return (o.x >= 0 && o.y >= 0 && o.z >= 0) || (o.x <= 0 && o.y <= 0 && o.z <= 0);
});

// Marks floor(share x nodes) random nodes as removed.
static std::vector<bool> drawRemoved(int64_t nodes, double share, uint64_t seed) {
  std::vector<int32_t> drawn(static_cast<size_t>(share * static_cast<double>(nodes)));
  Random random(seed, Drawn::columns, 0);
  drawDistinct(random, drawn, nodes);
  std::vector<bool> removed(static_cast<size_t>(nodes));
  for (const int32_t node : drawn)
    removed[static_cast<size_t>(node)] = true;
  return removed;
}

static Star keptStar(const Grid &grid, const std::vector<bool> &removed, int64_t node) {
  Star star;
  star.size = fillNeighbours(grid, kTetrahedra, node, star.node);
  const auto *end = std::remove_if(
      star.begin(), star.end(), [&](int32_t other) { return removed[static_cast<size_t>(other)]; });
  star.size = static_cast<size_t>(end - star.begin());
  return star;
}

static std::vector<int32_t> orderOf(std::vector<int32_t> nodes, llvm::StringRef order,
                                    const StarOf &starOf, uint64_t seed) {
  if (order == "random")
    return randomOrder(std::move(nodes), seed);
  return order == "cuthill" ? cuthillMcKee(nodes, starOf) : nodes;
}

// The check uses the expected number of entries; the numberings need memory besides the matrix.
static llvm::Error checkKept(const Grid &grid, double share) {
  const int64_t nodes = grid.points(), couplings = countNeighbours(grid, kTetrahedra) - nodes;
  const double entries =
      share * (static_cast<double>(nodes) + share * static_cast<double>(couplings));
  return checkFits(nodes, nodes, std::llround(entries), availableMemory(), "about ");
}

llvm::Expected<CsrMatrix> generateFem3d(const SpecOptions &options) {
  const Grid grid = grid3d(options);
  if (llvm::Error error = checkGrid(grid, kTetrahedra, 1))
    return error;
  if (options.real("removed") >= 1)
    return fail(Status::badCall, "fem3d: removed={0} leaves none of the {1} nodes",
                options.text("removed"), grid.points());
  if (llvm::Error error = checkKept(grid, 1 - options.real("removed")))
    return error;
  const Values values = valuesOf(options);
  const auto removed = drawRemoved(grid.points(), options.real("removed"), values.seed);
  const auto starOf = [&](int64_t node) { return keptStar(grid, removed, node); };
  std::vector<int32_t> kept = allNodes(grid.points());
  std::erase_if(kept, [&](int32_t node) { return removed[static_cast<size_t>(node)]; });
  return buildMesh(orderOf(std::move(kept), options.text("order"), starOf, values.seed), starOf,
                   values);
}

// --- Points --------------------------------------------------------------------------------------

// Random points in space, numbered by the cells of a grid, for families that couple near points.

class PointCloud {
public:
  // The side of a cell, in units of the coordinates.
  static constexpr int64_t kCellSide = 1 << 16;

  // Draws points, each place equally likely, in cubic cells of about `perCell` points on average.
  PointCloud(int64_t points, double perCell, uint64_t seed);

  // Cells along each side of the space.
  int64_t side() const { return side_; }

  // Calls f(other, squared distance) for all points, itself among them, of the cells that are at
  // most `ring` cells away along each axis, ascending. So it misses no point that is nearer than
  // `ring` sides of a cell.
  template <class F> void forNear(int64_t point, int64_t ring, const F &f) const {
    const auto own = cellOf(point);
    const auto at = placeOf(point, own);
    const auto from = [&](size_t axis) { return std::max<int64_t>(own[axis] - ring, 0); };
    const auto to = [&](size_t axis) { return std::min(own[axis] + ring, side_ - 1); };
    for (int64_t z = from(2); z <= to(2); ++z)
      for (int64_t y = from(1); y <= to(1); ++y)
        for (int64_t x = from(0); x <= to(0); ++x) {
          const auto *first = first_.data() + x + side_ * (y + side_ * z);
          for (int64_t other = first[0]; other < first[1]; ++other)
            f(other, squaredDistance(at, placeOf(other, {x, y, z})));
        }
  }

private:
  using Place = std::array<int64_t, 3>;

  Place cellOf(int64_t point) const;
  Place placeOf(int64_t point, const Place &cell) const {
    const uint64_t bits = inCell_[static_cast<size_t>(point)];
    const auto along = [&](size_t axis) {
      return cell[axis] * kCellSide + static_cast<int64_t>(bits >> 16 * axis & (kCellSide - 1));
    };
    return {along(0), along(1), along(2)};
  }
  static int64_t squaredDistance(const Place &a, const Place &b) {
    int64_t sum = 0;
    for (size_t axis = 0; axis < a.size(); ++axis)
      sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    return sum;
  }

  int64_t side_ = 1;
  std::vector<int32_t> first_;   // the first point of each cell, and the number of points
  std::vector<uint64_t> inCell_; // 16 bits of each coordinate
};

// --- Points --------------------------------------------------------------------------------------

// Draws random points in cells.

static int64_t cellsPerSide(int64_t points, double perCell) {
  int64_t side = 1;
  while (static_cast<double>((side + 1) * (side + 1) * (side + 1)) * perCell <=
         static_cast<double>(points))
    ++side;
  return side;
}

PointCloud::PointCloud(int64_t points, double perCell, uint64_t seed)
    : side_(cellsPerSide(points, perCell)), inCell_(static_cast<size_t>(points)) {
  const int64_t cells = side_ * side_ * side_;
  first_.resize(static_cast<size_t>(cells) + 1);
  for (int64_t point = 0; point < points; ++point) {
    Random random(seed, Drawn::lengths, point);
    ++first_[static_cast<size_t>(random.below(cells)) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  parallelFor(points, kCopyGrain, [&](int64_t begin, int64_t end) {
    for (int64_t point = begin; point < end; ++point)
      inCell_[static_cast<size_t>(point)] = Random(seed, Drawn::columns, point).next();
  });
}

PointCloud::Place PointCloud::cellOf(int64_t point) const {
  const int64_t cell = std::upper_bound(first_.begin(), first_.end(), point) - first_.begin() - 1;
  return {cell % side_, cell / side_ % side_, cell / side_ / side_};
}

// --- Molecule ------------------------------------------------------------------------------------

// Matrices like those of density functional theory in a basis of localized functions. An atom has 4
// to 28 functions, which are consecutive rows. Atoms that are nearer to each other than a cut-off
// are coupled by full blocks. Atoms are numbered by their place. The pattern is symmetric.

constexpr int64_t kFewestFunctions = 4, kMostFunctions = 28;
constexpr int64_t kMeanFunctions = (kFewestFunctions + kMostFunctions) / 2;

namespace {
class Molecule {
public:
  // The cut-off is the side of a cell. A ball of this radius has 4/3 pi times the volume of a cell.
  Molecule(int64_t atoms, double near, uint64_t seed)
      : cloud_(atoms, near / (4 * std::numbers::pi / 3), seed) {
    first_.reserve(static_cast<size_t>(atoms) + 1);
    first_.push_back(0);
    for (int64_t atom = 0; atom < atoms; ++atom) {
      Random random(seed, Drawn::lengths, -1 - atom); // the cells use the numbers 0 and above
      const int64_t functions = random.below(kMostFunctions - kFewestFunctions + 1);
      first_.push_back(first_.back() + kFewestFunctions + functions);
    }
  }

  int64_t rows() const { return first_.back(); }

  // Calls f with the first column and the end of each block of a row, ascending.
  template <class F> void forBlocks(int64_t row, const F &f) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), row);
    const auto forAtom = [&](int64_t atom, int64_t squaredDistance) {
      if (squaredDistance <= PointCloud::kCellSide * PointCloud::kCellSide)
        f(first_[static_cast<size_t>(atom)], first_[static_cast<size_t>(atom) + 1]);
    };
    cloud_.forNear(after - first_.begin() - 1, 1, forAtom);
  }

private:
  PointCloud cloud_;
  std::vector<int64_t> first_{}; // the first row of each atom, and the number of rows
};
} // namespace

// Refuses a matrix by its expected number of entries, since counting them needs all atoms.
static llvm::Error checkMolecule(int64_t atoms, double near) {
  const int64_t rows = kMeanFunctions * atoms;
  if (rows > kMaxIndex)
    return fail(Status::badCall, "molecule: atoms={0} have more than {1} functions", atoms,
                kMaxIndex);
  const double perRow =
      static_cast<double>(kMeanFunctions) * (1 + std::min(near, static_cast<double>(atoms)));
  return checkFits(rows, rows, std::llround(static_cast<double>(rows) * perRow), availableMemory(),
                   "about ");
}

llvm::Expected<CsrMatrix> generateMolecule(const SpecOptions &options) {
  const int64_t atoms = options.integer("atoms");
  const double near = options.real("near");
  if (llvm::Error error = checkMolecule(atoms, near))
    return error;
  const Values values = valuesOf(options);
  const Molecule molecule(atoms, near, values.seed);
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 0;
    molecule.forBlocks(row, [&](int64_t begin, int64_t end) { length += end - begin; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    molecule.forBlocks(row, [&](int64_t begin, int64_t end) {
      const auto last = next + (end - begin);
      std::iota(next, last, static_cast<int32_t>(begin));
      next = last;
    });
  };
  return buildMatrix(molecule.rows(), molecule.rows(), values, lengthOf, fillColumns);
}

// --- Knn -----------------------------------------------------------------------------------------

// The k nearest neighbours of random points in space. A point is not its own neighbour, and need
// not be one of those of its neighbours.

constexpr size_t kMostNeighbours = 256; // those of a row are kept on the stack
// With as many points in a cell, the farthest neighbour is 0.7 sides of a cell away on average, so
// few points have to look beyond the next cells.
constexpr double kCellsShare = 2.0 / 3;

namespace {
// The nearest points so far, the farthest of them first; equally near ones by their numbers.
class Nearest {
public:
  explicit Nearest(size_t most) : most_(static_cast<ptrdiff_t>(most)) {}

  void offer(int64_t distance, int64_t point) {
    const std::pair<int64_t, int64_t> found(distance, point);
    if (size_ == most_) {
      if (!(found < found_.front()))
        return;
      std::pop_heap(found_.begin(), found_.begin() + size_);
      --size_;
    }
    found_[static_cast<size_t>(size_++)] = found;
    std::push_heap(found_.begin(), found_.begin() + size_);
  }
  bool isWithin(int64_t distance) const {
    return size_ == most_ && found_.front().first <= distance * distance;
  }
  void write(std::span<int32_t> col) const {
    for (size_t i = 0; i < col.size(); ++i)
      col[i] = static_cast<int32_t>(found_[i].second);
    std::sort(col.begin(), col.end());
  }

private:
  ptrdiff_t size_ = 0, most_;
  std::array<std::pair<int64_t, int64_t>, kMostNeighbours> found_;
};
} // namespace

static void fillNearest(const PointCloud &cloud, int64_t point, std::span<int32_t> col) {
  if (col.empty())
    return;
  for (int64_t ring = 1;; ++ring) {
    Nearest nearest(col.size());
    cloud.forNear(point, ring, [&](int64_t other, int64_t distance) {
      if (other != point)
        nearest.offer(distance, other);
    });
    if (nearest.isWithin(ring * PointCloud::kCellSide) || ring >= cloud.side())
      return nearest.write(col);
  }
}

llvm::Expected<CsrMatrix> generateKnn(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), limit = options.integer("k");
  const int64_t k = options.given("k") ? limit : std::min(limit, rows - 1);
  if (k >= rows)
    return fail(Status::badCall, "knn: k={0} exceeds the {1} other points (rows={2})", k, rows - 1,
                rows);
  if (llvm::Error error = checkFits(rows, rows, k * rows, availableMemory()))
    return error;
  const Values values = valuesOf(options);
  const PointCloud cloud(rows, std::max(1.0, static_cast<double>(k) * kCellsShare), values.seed);
  return buildMatrix(
      rows, rows, values, [k](int64_t) { return k; },
      [&](int64_t row, std::span<int32_t> col) { fillNearest(cloud, row, col); });
}

} // namespace specmv
