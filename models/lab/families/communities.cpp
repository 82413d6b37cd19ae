// A graph of communities, like a social network: the sizes of the communities follow a power law,
// most edges stay within the community, and the others go anywhere. A few hubs are joined to very
// many vertices all over the graph, so their rows are long. The pattern is symmetric and has no
// diagonal. The exponent of the sizes is an assumption.
#include "models/lab/families/entries.h"
#include "models/lab/families/lengths.h"
#include "models/lab/families/pareto.h"

#include "models/base/error.h"

#include <algorithm>
#include <numeric>

namespace specmv {
constexpr double kSizeExponent = 2;
constexpr int64_t kLargestSize = 100; // size of a community, in multiples of the mean

namespace {
struct Communities {
  int64_t vertices;
  double links; // mean number of edges that a vertex draws
  double share; // share of the edges that may leave the community
  int64_t degree;
  std::vector<int32_t> ends{}; // one past the last vertex of each community
  std::vector<int32_t> hubs{};

  static void join(int64_t vertex, int64_t other, Emit emit) {
    if (vertex == other)
      return;
    emit(vertex, other);
    emit(other, vertex);
  }

  void emitLinks(Random random, int64_t vertex, Emit emit) const {
    const auto community = std::upper_bound(ends.begin(), ends.end(), vertex);
    const int64_t begin = community == ends.begin() ? 0 : community[-1], size = *community - begin;
    for (int64_t left = drawCount(random, links); left > 0; --left)
      join(vertex, random.unit() < share ? random.below(vertices) : begin + random.below(size),
           emit);
  }

  // Joins the hub to one vertex in each of `degree` equal parts of the graph, so that the vertices
  // are distinct without a list of them.
  void emitHub(Random random, int64_t hub, Emit emit) const {
    for (int64_t part = 0; part < degree; ++part) {
      const int64_t begin = part * vertices / degree, end = (part + 1) * vertices / degree;
      join(hub, begin + random.below(end - begin), emit);
    }
  }
};
} // namespace

static llvm::Error checkCommunities(const SpecOptions &options, const Communities &graph,
                                    int64_t hubs) {
  const int64_t rows = graph.vertices;
  if (options.given("size") && options.integer("size") > rows)
    return fail(Status::badCall, "communities: size={0} exceeds rows={1}", options.integer("size"),
                rows);
  if (hubs > rows || graph.degree > rows)
    return fail(Status::badCall, "communities: hubs={0} and degree={1} must not exceed rows={2}",
                hubs, graph.degree, rows);
  if (graph.links < 0)
    return fail(Status::badCall,
                "communities: 2 x hubs x degree (hubs={0}, degree={1}) exceeds rows={2} x avg={3}",
                hubs, graph.degree, rows, options.text("avg"));
  return checkMean(options, "communities", "avg");
}

static std::vector<int32_t> drawEnds(int64_t vertices, int64_t size, uint64_t seed) {
  const int64_t count = std::max<int64_t>(vertices / size, 1);
  const int64_t largest = std::min(vertices, size * kLargestSize);
  std::vector<int32_t> ends = powerLawLengths(count, largest, kSizeExponent, vertices);
  meetTotal(ends, vertices, [=](int64_t) { return vertices; });
  shuffle(Random(seed, Drawn::lengths, 0), ends);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return ends;
}

static Communities communitiesOf(const SpecOptions &options, int64_t hubs) {
  const int64_t rows = options.integer("rows"), limit = options.integer("degree");
  const int64_t degree =
      options.given("degree") ? limit : std::min(limit, std::max<int64_t>(rows / 10, 1));
  const double joined = 2 * static_cast<double>(hubs * degree) / static_cast<double>(rows);
  return {rows, (options.real("avg") - joined) / 2, options.real("share"), degree};
}

llvm::Expected<CsrMatrix> generateCommunities(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), limit = options.integer("hubs");
  const int64_t hubs = options.given("hubs") ? limit : std::min(limit, rows);
  Communities graph = communitiesOf(options, hubs);
  if (llvm::Error error = checkCommunities(options, graph, hubs))
    return error;
  const uint64_t seed = seedOf(options);
  graph.ends = drawEnds(rows, std::min(options.integer("size"), rows), seed);
  graph.hubs.resize(static_cast<size_t>(hubs));
  Random hubVertices(seed, Drawn::lengths, 1);
  drawDistinct(hubVertices, graph.hubs, rows);
  // The sources are the vertices, followed by the hubs.
  const auto emitEntries = [&](int64_t begin, int64_t end, Emit emit) {
    for (int64_t source = begin; source < end; ++source) {
      const Random random(seed, Drawn::columns, source);
      if (source < rows)
        graph.emitLinks(random, source, emit);
      else
        graph.emitHub(random, graph.hubs[static_cast<size_t>(source - rows)], emit);
    }
  };
  return buildFromEntries(rows, rows, valuesOf(options), rows + hubs, emitEntries);
}

} // namespace specmv
