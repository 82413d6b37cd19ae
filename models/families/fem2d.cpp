// Linear finite elements (P1) on an unstructured triangular mesh of the plane: a node is coupled to
// itself and its neighbours. The mesh is a net of quadrilaterals, each cut along one of its two
// diagonals at random, so that inner nodes have 4 to 8 neighbours, 6 on average. Nodes are numbered
// as solvers do, by Cuthill and McKee ("Reducing the bandwidth of sparse symmetric matrices",
// 1969), or at random.
#include "models/families/lengths.h"

#include <array>
#include <cmath>
#include <numeric>

namespace specmv {
namespace {
// A node and up to 8 neighbours.
struct Star {
  std::array<int32_t, 9> node{};
  size_t size = 0;
  void add(int64_t number) { node[size++] = static_cast<int32_t>(number); }
  auto begin() { return node.begin(); }
  auto end() { return node.begin() + size; }
};

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
  // Which diagonal the quadrilateral with first corner `corner` has. If the last line ends before
  // its last corner, it is a triangle whose third side is the falling diagonal.
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

// Breadth first from a corner, neighbours by ascending degree.
static std::vector<int32_t> cuthillMcKee(const Mesh &mesh, int64_t nodes) {
  std::vector<int32_t> order{0};
  order.reserve(static_cast<size_t>(nodes));
  std::vector<bool> seen(static_cast<size_t>(nodes));
  seen[0] = true;
  for (size_t next = 0; next < order.size(); ++next) {
    std::array<std::pair<size_t, int32_t>, 9> found;
    size_t count = 0;
    for (const int32_t node : mesh.star(order[next]))
      if (!seen[static_cast<size_t>(node)]) {
        seen[static_cast<size_t>(node)] = true;
        found[count++] = {mesh.star(node).size, node};
      }
    std::sort(found.begin(), found.begin() + count);
    for (size_t i = 0; i < count; ++i)
      order.push_back(found[i].second);
  }
  return order;
}

static std::vector<int32_t> randomOrder(int64_t nodes, uint64_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  shuffle(Random(seed, Drawn::lengths, 0), order);
  return order;
}

llvm::Expected<CsrMatrix> generateFem2d(const SpecOptions &options) {
  const int64_t rows = options.integer("rows");
  // 7 entries a row, and besides the matrix both numberings.
  if (llvm::Error error = checkFits(rows, rows, 7 * rows, physicalMemory()))
    return error;
  const Values values = valuesOf(options);
  const Mesh mesh(rows, values.seed);
  const std::vector<int32_t> order = options.text("order") == "natural"
                                         ? cuthillMcKee(mesh, rows)
                                         : randomOrder(rows, values.seed);
  std::vector<int32_t> rank(order.size());
  for (size_t row = 0; row < order.size(); ++row)
    rank[static_cast<size_t>(order[row])] = static_cast<int32_t>(row);
  const auto starOf = [&](int64_t row) { return mesh.star(order[static_cast<size_t>(row)]); };
  const auto lengthOf = [&](int64_t row) { return static_cast<int64_t>(starOf(row).size); };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    Star star = starOf(row);
    std::transform(star.begin(), star.end(), col.begin(),
                   [&](int32_t node) { return rank[static_cast<size_t>(node)]; });
    std::sort(col.begin(), col.end());
  };
  return buildMatrix(rows, rows, values, lengthOf, fillColumns);
}

} // namespace specmv
