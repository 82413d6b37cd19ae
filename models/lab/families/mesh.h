// Meshes of linear elements (P1), in which a node is coupled to itself and its neighbours. Numbers
// the nodes and builds the matrix.
#pragma once

#include "models/lab/families/build.h"

#include <array>

namespace specmv {

// A node and up to 14 neighbours, ascending.
struct Star {
  std::array<int32_t, 15> node{};
  size_t size = 0;
  void add(int64_t number) { node[size++] = static_cast<int32_t>(number); }
  auto begin() { return node.begin(); }
  auto end() { return node.begin() + size; }
};

// Called from several threads; must not throw.
using StarOf = std::function<Star(int64_t node)>;

// The nodes 0 .. count-1.
std::vector<int32_t> allNodes(int64_t count);

// Returns the given nodes in the order of Cuthill and McKee ("Reducing the bandwidth of sparse
// symmetric matrices", 1969): breadth first, neighbours by ascending degree. Each connected part of
// the mesh begins at its first node.
std::vector<int32_t> cuthillMcKee(std::span<const int32_t> nodes, const StarOf &starOf);

// Returns the given nodes in a random order.
std::vector<int32_t> randomOrder(std::vector<int32_t> nodes, uint64_t seed);

// Returns all nodes in the order that the key `order` names: by Cuthill and McKee or at random.
std::vector<int32_t> numberedMesh(const SpecOptions &options, int64_t nodes, const StarOf &starOf);

// Builds the matrix whose rows are the nodes in the given order. Stars contain only these nodes.
llvm::Expected<CsrMatrix> buildMesh(std::span<const int32_t> order, const StarOf &starOf,
                                    const Values &values);

} // namespace specmv
