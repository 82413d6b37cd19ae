// Matrices of graphs: communities, power laws, recursive graphs, roads and circuits.
#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/lab/families/build.h"
#include "models/lab/families/draws.h"
#include "models/lab/families/mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace specmv {

// --- Communities ---------------------------------------------------------------------------------

// A graph of communities, like a social network: the sizes of the communities follow a power law,
// most edges stay within the community, and the others go anywhere. A few hubs are joined to very
// many vertices all over the graph, so their rows are long. The pattern is symmetric and has no
// diagonal. The exponent of the sizes is an assumption.

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

// --- Powerlaw ------------------------------------------------------------------------------------

// Rows whose lengths follow a power law, with half of their columns near the diagonal, like web and
// social graphs.

// The number of columns on either side of the diagonal that count as near, unless the row is
// longer: 129 floats are a few cache lines (chosen, not measured).
constexpr int64_t kLocalHalf = 64;

llvm::Expected<CsrMatrix> generatePowerlaw(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  auto lengths = drawPowerLaw(options, "powerlaw");
  if (!lengths)
    return lengths.takeError();
  const auto lengthOf = [&](int64_t row) { return (*lengths)[static_cast<size_t>(row)]; };
  const auto fillColumns = [&, seed = seedOf(options)](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    const size_t local = (col.size() + 1) / 2;
    const int64_t half = std::max(kLocalHalf, static_cast<int64_t>(col.size()));
    const Window window = windowOf(row, rows, cols, half);
    extendDistinct(random, col.first(local), 0, window.begin, window.end);
    extendDistinct(random, col, local, 0, cols);
  };
  return buildMatrix(options, lengthOf, fillColumns);
}

// --- Web -----------------------------------------------------------------------------------------

// Links between web pages: the numbers of links per page follow a power law, most links lead to
// nearby pages of the same host, and the others to popular pages. The shares and the size of a host
// are assumptions; no crawl was measured.

llvm::Expected<CsrMatrix> generateWeb(const SpecOptions &options) {
  auto lengths = drawPowerLaw(options, "web");
  if (!lengths)
    return lengths.takeError();
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const int64_t host = options.integer("half");
  const double near = options.real("near");
  const uint64_t seed = seedOf(options);
  const PopularColumns pages(cols, seed);
  const auto lengthOf = [&](int64_t row) { return (*lengths)[static_cast<size_t>(row)]; };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    const auto length = static_cast<int64_t>(col.size());
    const Window window = windowOf(row, rows, cols, std::max(host, length));
    const auto local = static_cast<size_t>(std::llround(near * static_cast<double>(length)));
    extendDistinct(random, col.first(local), 0, window.begin, window.end);
    pages.extend(random, col, local);
  });
}

// --- Rmat ----------------------------------------------------------------------------------------

// R-MAT graphs (Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining", 2004)
// with the probabilities of the Graph500. An edge is in one quarter of the matrix, then in one
// quarter of that quarter, and so on. Edges are directed, vertices are not renumbered (low numbers
// are the hubs), and loops are kept. An edge that is drawn several times counts once, so there are
// fewer entries than edges.

// 16 bits choose a quarter, so one draw of 64 bits is enough for four choices. Percentages are
// rounded to multiples of 2^-16.
constexpr uint64_t kOne = 1 << 16;
constexpr uint64_t percent(uint64_t p) { return (p * kOne + 50) / 100; }

// Cumulative probabilities of the upper left, upper right and lower left quarters.
constexpr uint64_t kUpperLeft = percent(57), kUpper = percent(57 + 19),
                   kNotLowerRight = percent(57 + 19 + 19);

namespace {
struct Edge {
  int64_t from = 0, to = 0;
};
} // namespace

static Edge drawEdge(Random random, int64_t scale) {
  Edge edge;
  uint64_t bits = 0;
  for (int64_t level = 0; level < scale; ++level, bits /= kOne) {
    if (level % 4 == 0)
      bits = random.next();
    const uint64_t draw = bits % kOne;
    const bool lower = draw >= kUpper;
    const bool right = lower ? draw >= kNotLowerRight : draw >= kUpperLeft;
    edge = {2 * edge.from + (lower ? 1 : 0), 2 * edge.to + (right ? 1 : 0)};
  }
  return edge;
}

llvm::Expected<CsrMatrix> generateRmat(const SpecOptions &options) {
  const int64_t scale = options.integer("scale"), rows = int64_t{1} << scale;
  const int64_t perRow = options.integer("edge");
  if (perRow > kMaxIndex / rows)
    return fail(Status::badCall, "rmat: scale={0} and edge={1} give more than {2} edges", scale,
                perRow, kMaxIndex);
  if (llvm::Error error = checkFits(rows, rows, perRow * rows, availableMemory(), "up to "))
    return error;
  const auto emitEntries = [scale, seed = seedOf(options)](int64_t begin, int64_t end, Emit emit) {
    for (int64_t number = begin; number < end; ++number) {
      const Edge edge = drawEdge(Random(seed, Drawn::columns, number), scale);
      emit(edge.from, edge.to);
    }
  };
  return buildFromEntries(rows, rows, valuesOf(options), perRow * rows, emitEntries);
}

// --- Kron ----------------------------------------------------------------------------------------

// Stochastic Kronecker graphs (Leskovec, Chakrabarti, Kleinberg, Faloutsos and Ghahramani,
// "Kronecker graphs: an approach to modeling networks", 2010) of a symmetric initiator of 3 x 3: an
// edge is in one ninth of the matrix, then in one ninth of that ninth, and so on. Nodes are
// numbered at random. The pattern is symmetric: an edge and its mirror image are entries, repeated
// ones count once, and loops are kept.

constexpr int64_t kSide = 3;

// Percentages of the parts of the initiator, row by row; chosen so that the largest degrees are as
// large as those of rmat: 0.63^12 is near 0.76^20.
constexpr std::array<int64_t, kSide *kSide> kInitiator = {42, 15, 6, 15, 6, 2, 6, 2, 6};

// The part of each hundredth. A table, since branches that depend on draws cannot be foreseen.
constexpr auto kPartOf = [] {
  std::array<uint8_t, 100> out{};
  size_t end = 0;
  for (size_t part = 0; part < kInitiator.size(); ++part)
    for (int64_t left = kInitiator[part]; left > 0; --left)
      out[end++] = static_cast<uint8_t>(part);
  return out;
}();

static std::pair<int64_t, int64_t> drawKronEdge(Random random, int64_t scale) {
  int64_t from = 0, to = 0;
  for (int64_t level = 0; level < scale; ++level) {
    const int64_t part = kPartOf[static_cast<size_t>(random.below(100))];
    from = kSide * from + part / kSide;
    to = kSide * to + part % kSide;
  }
  return {from, to};
}

llvm::Expected<CsrMatrix> generateKron(const SpecOptions &options) {
  const int64_t scale = options.integer("scale"), perRow = options.integer("edge");
  int64_t rows = 1;
  for (int64_t level = 0; level < scale; ++level)
    rows *= kSide;
  if (perRow > kMaxIndex / 2 / rows)
    return fail(Status::badCall, "kron: scale={0} and edge={1} give more than {2} entries", scale,
                perRow, kMaxIndex);
  if (llvm::Error error = checkFits(rows, rows, 2 * perRow * rows, availableMemory(), "up to "))
    return error;
  const Values values = valuesOf(options);
  const std::vector<int32_t> number = randomOrder(allNodes(rows), values.seed);
  const auto emitEntries = [&](int64_t begin, int64_t end, Emit emit) {
    for (int64_t edge = begin; edge < end; ++edge) {
      const auto [from, to] = drawKronEdge(Random(values.seed, Drawn::columns, edge), scale);
      const int32_t row = number[static_cast<size_t>(from)], col = number[static_cast<size_t>(to)];
      emit(row, col);
      emit(col, row);
    }
  };
  return buildFromEntries(rows, rows, values, perRow * rows, emitEntries);
}

// --- Mycielskian ---------------------------------------------------------------------------------

// Mycielski's graphs without triangles ("Sur le coloriage des graphes", 1955), as in mycielskianK
// of the SuiteSparse collection. M(2) is an edge. M(k) has the n vertices of M(k-1), a copy of each
// that is joined to the neighbours of its original, and one vertex that is joined to all copies. It
// has 3 2^(k-2) - 1 vertices; all values are 1.

static int64_t countVertices(int64_t k) { return 3 * (int64_t{1} << (k - 2)) - 1; }

static int64_t degree(int64_t k, int64_t vertex) {
  if (k == 2)
    return 1;
  const int64_t n = countVertices(k - 1);
  return vertex < n       ? 2 * degree(k - 1, vertex)
         : vertex < 2 * n ? degree(k - 1, vertex - n) + 1
                          : n;
}

// Writes the neighbours of a vertex, ascending, and returns their number.
static size_t fillAdjacent(int64_t k, int64_t vertex, std::span<int32_t> out) {
  if (k == 2) {
    out[0] = static_cast<int32_t>(1 - vertex);
    return 1;
  }
  const auto n = static_cast<int32_t>(countVertices(k - 1));
  if (vertex == 2 * n) {
    for (int32_t copy = 0; copy < n; ++copy)
      out[static_cast<size_t>(copy)] = n + copy;
    return static_cast<size_t>(n);
  }
  size_t count = fillAdjacent(k - 1, vertex < n ? vertex : vertex - n, out);
  if (vertex >= n) {
    out[count] = 2 * n;
    return count + 1;
  }
  for (size_t i = 0; i < count; ++i)
    out[count + i] = out[i] + n;
  return 2 * count;
}

llvm::Expected<CsrMatrix> generateMycielskian(const SpecOptions &options) {
  const int64_t k = options.integer("k"), rows = countVertices(k);
  return buildMatrix(
      rows, rows, [k](int64_t row) { return degree(k, row); },
      [k](int64_t row, std::span<int32_t> col, std::span<double> val) {
        fillAdjacent(k, row, col);
        std::fill(val.begin(), val.end(), 1.0);
      });
}

// --- Road ----------------------------------------------------------------------------------------

// Road networks: crossings with at most four roads, in a plane. They are the nodes of a net of
// quadrilaterals, of which a part of the sides is missing. The pattern is symmetric and has no
// diagonal. Nodes are numbered as solvers do, by Cuthill and McKee, or at random.

namespace {
// `nodes` crossings in lines of `width`; the last line may be shorter.
struct Roads {
  int64_t nodes;
  double missing; // share of the sides
  uint64_t seed;
  int64_t width = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(nodes))));

  // The neighbours of a crossing, ascending.
  Star star(int64_t node) const {
    const bool isFirst = node % width == 0, isLast = (node + 1) % width == 0;
    Star out;
    if (node >= width && isRoad(node - width, 1))
      out.add(node - width);
    if (!isFirst && isRoad(node - 1, 0))
      out.add(node - 1);
    if (!isLast && node + 1 < nodes && isRoad(node, 0))
      out.add(node + 1);
    if (node + width < nodes && isRoad(node, 1))
      out.add(node + width);
    return out;
  }

  // Returns true if there is a road from a crossing to the next one in its line (0) or the next
  // line (1).
  bool isRoad(int64_t from, int64_t direction) const {
    return Random(seed, Drawn::columns, 2 * from + direction).unit() >= missing;
  }
};
} // namespace

llvm::Expected<CsrMatrix> generateRoad(const SpecOptions &options) {
  const int64_t rows = options.integer("rows");
  const double missing = options.real("missing");
  const auto entries = std::llround(4 * (1 - missing) * static_cast<double>(rows));
  if (llvm::Error error = checkFits(rows, rows, entries, availableMemory(), "about "))
    return error;
  const Values values = valuesOf(options);
  const Roads roads{rows, missing, values.seed};
  const auto starOf = [&](int64_t node) { return roads.star(node); };
  return buildMesh(numberedMesh(options, rows, starOf), starOf, values);
}

// --- Prefer --------------------------------------------------------------------------------------

// Graphs of preferential attachment (Barabasi and Albert, "Emergence of scaling in random
// networks", 1999): each new node is joined to `m` nodes, which are chosen in proportion to their
// degrees. The pattern is symmetric and has no diagonal; edges that are drawn several times count
// once, loops not at all.

// Returns the older end of an edge by the method of Sanders and Schulz ("Scalable generation of
// scale-free graphs", 2016). In a list of the ends of all edges, each node occurs as often as its
// degree, so a uniform choice from the part of the list before this end is one in proportion to
// degrees. Even places hold the new node of an edge. What an odd place holds follows from its own
// choice, so no list is needed.
static int64_t olderEnd(uint64_t seed, int64_t edge, int64_t m) {
  for (;;) {
    const int64_t place = Random(seed, Drawn::columns, edge).below(2 * edge + 1);
    if (place % 2 == 0)
      return place / 2 / m;
    edge = place / 2;
  }
}

llvm::Expected<CsrMatrix> generatePrefer(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), m = options.integer("m");
  if (m > kMaxIndex / 2 / rows)
    return fail(Status::badCall, "prefer: rows={0} x 2 x m={1} is more than {2} entries", rows, m,
                kMaxIndex);
  if (llvm::Error error = checkFits(rows, rows, 2 * m * rows, availableMemory(), "up to "))
    return error;
  const Values values = valuesOf(options);
  std::vector<int32_t> number = allNodes(rows); // of each node, from the oldest on
  if (options.text("order") == "random")
    number = randomOrder(std::move(number), values.seed);
  const auto emitEntries = [&](int64_t begin, int64_t end, Emit emit) {
    for (int64_t edge = begin; edge < end; ++edge) {
      const int32_t newer = number[static_cast<size_t>(edge / m)],
                    older = number[static_cast<size_t>(olderEnd(values.seed, edge, m))];
      if (newer == older)
        continue;
      emit(newer, older);
      emit(older, newer);
    }
  };
  return buildFromEntries(rows, rows, values, m * rows, emitEntries);
}

// --- Circuit -------------------------------------------------------------------------------------

// Matrices like those of circuits: the diagonal, a few neighbours of each node, most of them
// nearby, and rails (ground, supplies, clocks). Many nodes connect to a rail, so its row and column
// are long. The pattern is symmetric. The distances of near links are log-uniform. This law and the
// share of far links are assumptions; no circuit was measured.

constexpr int64_t kReachBits = 12; // the longest near link spans 2^12 nodes
constexpr int64_t kFarOneIn = 50;  // one link in 50 goes to a random node of the circuit

namespace {
struct Circuit {
  int64_t nodes;
  double links;                 // mean number of links that a node draws
  double share;                 // share of the nodes that are connected to a rail
  std::vector<int32_t> rails{}; // the nodes of the rails

  // Draws an earlier node, or a later one if there are not enough earlier nodes.
  int64_t partner(Random &random, int64_t node) const {
    if (random.below(kFarOneIn) == 0)
      return random.below(nodes);
    const int64_t distance = 1 + random.below(int64_t{1} << random.below(kReachBits + 1));
    if (distance <= node)
      return node - distance;
    return std::min(node + distance, nodes - 1);
  }

  // Earlier rails are chosen more often: the first of R with probability (1 + 1/2 + ... + 1/R) / R.
  int64_t rail(Random &random) const {
    const auto count = static_cast<int64_t>(rails.size());
    return rails[static_cast<size_t>(random.below(random.below(count) + 1))];
  }

  void emitEntries(Random random, int64_t node, Emit emit) const {
    const auto emitBoth = [&](int64_t other) {
      emit(node, other);
      emit(other, node);
    };
    emit(node, node);
    for (int64_t left = drawCount(random, links); left > 0; --left)
      emitBoth(partner(random, node));
    if (!rails.empty() && random.unit() < share)
      emitBoth(rail(random));
  }
};
} // namespace

static llvm::Error checkCircuit(const SpecOptions &options, int64_t rails) {
  const int64_t rows = options.integer("rows");
  const double avg = options.real("avg"), share = options.real("share");
  if (rails > rows)
    return fail(Status::badCall, "circuit: rails={0} exceeds rows={1}", rails, rows);
  if (avg < 1 + 2 * share)
    return fail(Status::badCall, "circuit: avg={0} must be at least 1 + 2 x share (share={1})",
                options.text("avg"), options.text("share"));
  return checkMean(options, "circuit", "avg");
}

llvm::Expected<CsrMatrix> generateCircuit(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), limit = options.integer("rails");
  const int64_t rails = options.given("rails") ? limit : std::min(limit, rows);
  if (llvm::Error error = checkCircuit(options, rails))
    return error;
  const double share = rails > 0 ? options.real("share") : 0;
  Circuit circuit{rows, (options.real("avg") - 1) / 2 - share, share};
  circuit.rails.resize(static_cast<size_t>(rails));
  const uint64_t seed = seedOf(options);
  Random railNodes(seed, Drawn::lengths, 0);
  drawDistinct(railNodes, circuit.rails, rows);
  shuffle(Random(seed, Drawn::lengths, 1), circuit.rails);
  const auto emitEntries = [&](int64_t begin, int64_t end, Emit emit) {
    for (int64_t node = begin; node < end; ++node)
      circuit.emitEntries(Random(seed, Drawn::columns, node), node, emit);
  };
  return buildFromEntries(rows, rows, valuesOf(options), rows, emitEntries);
}

} // namespace specmv
