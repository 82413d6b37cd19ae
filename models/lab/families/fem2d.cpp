// Linear finite elements on an unstructured triangular mesh of the plane. The mesh is a net of
// quadrilaterals, each cut along a random one of its two diagonals, so that inner nodes have 4 to 8
// neighbours, 6 on average. Nodes are numbered as solvers do, by Cuthill and McKee, or at random.
#include "models/lab/families/mesh.h"

#include "models/base/machine_memory.h"

#include <cmath>

namespace specmv {
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

} // namespace specmv
