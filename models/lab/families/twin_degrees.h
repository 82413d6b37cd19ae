// Bounds how many neighbours the nodes of a random graph have, since a mirrored pattern otherwise
// has longer rows than the matrix that it stands for.
#pragma once

#include <cstdint>
#include <span>

namespace specmv {

// The edges of a graph: those to the earlier nodes, of each node, in any order (CSR).
struct EarlierNeighbours {
  std::span<const int32_t> pointer; // one more than nodes
  std::span<int32_t> col;

  int64_t nodes() const { return static_cast<int64_t>(pointer.size()) - 1; }
  std::span<int32_t> of(int64_t node) const {
    const auto *at = pointer.data() + node;
    return col.subspan(static_cast<size_t>(at[0]), static_cast<size_t>(at[1] - at[0]));
  }
};

// Moves ends of edges to other earlier nodes, the nearest that have room, until no node has more
// than `most` neighbours. Moves more until one node has exactly so many, and the numbers of
// neighbours have about this standard deviation if it was less. An edge within `reach` nodes stays
// within. A node that has more edges to earlier nodes than `most` keeps them, and an end that finds
// no room stays. The number of edges of each node to earlier ones does not change.
void boundDegrees(const EarlierNeighbours &graph, int64_t most, double deviation, int64_t reach);

} // namespace specmv
