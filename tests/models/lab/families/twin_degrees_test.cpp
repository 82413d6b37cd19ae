// Tests that bounded graphs keep their edges' number, reach and distinct ends.
#include "models/lab/families/twin_degrees.h"
#include "models/lab/families/twins.h"

#include "models/lab/families/build.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using namespace specmv;

namespace {
constexpr int32_t kNodes = 600, kReach = 30;

struct Graph {
  std::vector<int32_t> pointer{0}, col;

  EarlierNeighbours edges() { return {pointer, col}; }
  std::vector<int64_t> degrees() {
    std::vector<int64_t> out(kNodes);
    for (int32_t node = 0; node < kNodes; ++node)
      for (const int32_t end : edges().of(node)) {
        ++out[size_t(node)];
        ++out[size_t(end)];
      }
    return out;
  }
};
} // namespace

// Each node has edges to six of the last thirty, more often to every tenth node.
static Graph uneven() {
  Graph out;
  Random random(7, Drawn::columns, 0);
  for (int32_t node = 0; node < kNodes; ++node) {
    std::set<int32_t> ends;
    while (ends.size() < size_t(std::min(node, 6))) {
      const auto end = static_cast<int32_t>(node - 1 - random.below(std::min(node, kReach)));
      ends.insert(random.below(2) == 0 ? end - end % 10 : end);
      ends.erase(ends.lower_bound(node), ends.end());
      while (!ends.empty() && *ends.begin() < node - kReach)
        ends.erase(ends.begin());
    }
    out.col.insert(out.col.end(), ends.begin(), ends.end());
    out.pointer.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

static double varianceOf(const std::vector<int64_t> &degrees, size_t edges) {
  const double mean = 2.0 * double(edges) / kNodes;
  double sum = 0;
  for (const int64_t degree : degrees)
    sum += (double(degree) - mean) * (double(degree) - mean);
  return sum / kNodes;
}

TEST_CASE("no node keeps more neighbours than the most, and one gets as many") {
  Graph graph = uneven();
  REQUIRE(std::ranges::max(graph.degrees()) > 22);
  for (const int64_t most : {22, 16}) {
    boundDegrees(graph.edges(), most, 0, kReach);
    CHECK(std::ranges::max(graph.degrees()) == most);
  }
  boundDegrees(graph.edges(), 25, 0, kReach);
  CHECK(std::ranges::max(graph.degrees()) == 25);
}

TEST_CASE("moved edges stay within reach, and ends stay distinct and earlier") {
  Graph graph = uneven();
  boundDegrees(graph.edges(), 20, 4, kReach);
  for (int32_t node = 0; node < kNodes; ++node) {
    const auto ends = graph.edges().of(node);
    CHECK(ends.size() == size_t(std::min(node, 6)));
    CHECK(std::set(ends.begin(), ends.end()).size() == ends.size());
    for (const int32_t end : ends) {
      CHECK(end < node);
      CHECK(end >= std::max(node - kReach, 0));
    }
  }
}

TEST_CASE("degrees spread at least as they should") {
  Graph graph = uneven();
  boundDegrees(graph.edges(), 14, 0, kReach);
  const double narrow = varianceOf(graph.degrees(), graph.col.size());
  REQUIRE(narrow < 6);
  boundDegrees(graph.edges(), 20, 2.6, kReach);
  CHECK(varianceOf(graph.degrees(), graph.col.size()) == doctest::Approx(2.6 * 2.6).epsilon(0.05));
  CHECK(std::ranges::max(graph.degrees()) == 20);
}
