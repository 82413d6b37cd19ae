// Moves ends of edges, one after another in the order of the nodes, so that the result is the same
// everywhere.
#include "models/lab/families/twin_degrees.h"

#include <algorithm>
#include <vector>

namespace specmv {

// The nodes give ends in so many turns, and look so far for one with more neighbours (chosen).
constexpr int64_t kTurns = 64, kLook = 40;

namespace {
class BoundedDegrees {
public:
  BoundedDegrees(const EarlierNeighbours &graph, int64_t most, int64_t reach)
      : graph_(graph), most_(most), reach_(reach), degree_(size_t(graph.nodes())) {
    for (int64_t node = 0; node < graph.nodes(); ++node) {
      degree_[size_t(node)] += static_cast<int64_t>(graph.of(node).size());
      for (const int32_t earlier : graph.of(node))
        ++degree_[size_t(earlier)];
    }
  }

  void lower() {
    for (int64_t node = 0; node < graph_.nodes(); ++node)
      for (int32_t &end : graph_.of(node))
        if (degree_[size_t(end)] > most_)
          move(end, roomNear(node, end));
  }

  // Moves ends from nodes with few neighbours to near ones with many that have room. The nodes that
  // give take turns that spread over the whole graph.
  void widen(double deviation) {
    const int64_t nodes = graph_.nodes();
    const double mean = 2 * static_cast<double>(graph_.col.size()) / static_cast<double>(nodes);
    double missing = deviation * deviation * static_cast<double>(nodes);
    for (const int64_t degree : degree_)
      missing -= (static_cast<double>(degree) - mean) * (static_cast<double>(degree) - mean);
    const int64_t stride = (nodes - 1) / kTurns + 1;
    for (int64_t turn = 0; turn < kTurns * stride && missing > 0; ++turn) {
      const int64_t node = turn % kTurns * stride + turn / kTurns;
      if (node < nodes)
        missing -= widenBy(node, mean);
    }
  }

  // Gives the node with the most neighbours more of them, from later nodes.
  void raise() {
    const int64_t longest = longestNode();
    if (longest < 0)
      return;
    const int64_t last = std::min(graph_.nodes() - 1, longest + reach_);
    for (int64_t node = longest + 1; node <= last && degree_[size_t(longest)] < most_; ++node)
      if (int32_t *end = nearestEnd(node, longest))
        move(*end, longest);
  }

private:
  bool isFree(int64_t node, int64_t end) const {
    return degree_[size_t(end)] < most_ &&
           std::ranges::find(graph_.of(node), end) == graph_.of(node).end();
  }

  // Returns the nearest node to `end` that the edge may end at instead; `end` if there is none.
  int64_t roomNear(int64_t node, int64_t end) const {
    const int64_t begin = node - end <= reach_ ? std::max<int64_t>(node - reach_, 0) : 0;
    for (int64_t by = 1; by < node - begin; ++by)
      for (const int64_t other : {end - by, end + by})
        if (other >= begin && other < node && isFree(node, other))
          return other;
    return end;
  }

  // Moves an end of the node that has fewer neighbours than the mean; returns what the sum of
  // squares gains.
  double widenBy(int64_t node, double mean) {
    for (int32_t &end : graph_.of(node)) {
      const int64_t few = degree_[size_t(end)];
      if (static_cast<double>(few) >= mean)
        continue;
      const int64_t begin = node - end <= reach_ ? std::max<int64_t>(node - reach_, 0) : 0;
      for (int64_t other = std::max<int64_t>(end - kLook, begin);
           other < std::min<int64_t>(node, end + kLook); ++other)
        if (const int64_t many = degree_[size_t(other)];
            static_cast<double>(many) > mean && isFree(node, other)) {
          move(end, other);
          return 2 * static_cast<double>(many - few + 1);
        }
    }
    return 0;
  }

  // Returns -1 if all nodes have more neighbours than they may.
  int64_t longestNode() const {
    int64_t out = -1;
    for (int64_t node = 0; node < graph_.nodes(); ++node)
      if (degree_[size_t(node)] <= most_ &&
          (out < 0 || degree_[size_t(node)] > degree_[size_t(out)]))
        out = node;
    return out;
  }

  // Returns the end of a node's edges that is nearest to another node; null if the node has none,
  // or already an edge to that one.
  int32_t *nearestEnd(int64_t node, int64_t to) const {
    const std::span<int32_t> ends = graph_.of(node);
    if (ends.empty() || std::ranges::find(ends, to) != ends.end())
      return nullptr;
    const auto distance = [&](int32_t end) { return end < to ? to - end : end - to; };
    return &*std::ranges::min_element(ends, {}, distance);
  }

  void move(int32_t &end, int64_t to) {
    --degree_[size_t(end)];
    end = static_cast<int32_t>(to);
    ++degree_[size_t(end)];
  }

  const EarlierNeighbours &graph_;
  int64_t most_, reach_;
  std::vector<int64_t> degree_;
};
} // namespace

void boundDegrees(const EarlierNeighbours &graph, int64_t most, double deviation, int64_t reach) {
  BoundedDegrees bounded(graph, most, reach);
  bounded.lower();
  bounded.widen(deviation);
  bounded.raise();
}

} // namespace specmv
