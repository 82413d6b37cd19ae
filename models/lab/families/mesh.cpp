// Numbers the nodes of a mesh and builds its matrix.
#include "models/lab/families/mesh.h"

#include "models/lab/families/lengths.h"

#include <algorithm>
#include <numeric>

namespace specmv {

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

} // namespace specmv
