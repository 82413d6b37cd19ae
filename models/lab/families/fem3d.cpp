// Linear finite elements on a tetrahedral mesh: the cubes of a grid, each cut into six tetrahedra
// (Kuhn; Freudenthal), with nodes removed at random so that rows differ in length. A node is
// coupled to those nodes that are one step in the same direction along some of the axes: 15 entries
// with the diagonal if no node is missing. Moving the nodes would not change the pattern.
#include "models/lab/families/grid.h"
#include "models/lab/families/mesh.h"

#include "models/base/error.h"
#include "models/base/machine_memory.h"

#include <algorithm>
#include <cmath>

namespace specmv {
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

} // namespace specmv
