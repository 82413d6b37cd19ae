// Generates twins of the matrices of the papers.
#include "models/lab/families/twins.h"

#include "models/base/parallel.h"
#include "models/lab/families/draws.h"
#include "models/lab/families/families.h"
#include "models/lab/families/twin.h"
#include "models/lab/families/twin_degrees.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace specmv {

// --- Twin ----------------------------------------------------------------------------------------

// Twins of the papers' matrices. A twin has the numbers of rows, columns and non-zeros of the
// original, the structure of matrices of that kind, and the row lengths as far as they are known.
// If a family can generate the original matrix itself, the twin comes from that family.

static const Twin &twinOf(llvm::StringRef name) {
  for (const Twin &twin : kTwins)
    if (name == twin.name)
      return twin;
  return kTwins[0]; // unreachable: the choices of the key are the names of the table
}

// Keeps the lengths of the rows of one node together, because these rows have the same columns.
static std::vector<int32_t> drawTwinLengths(const Twin &twin, int64_t nnz, uint64_t seed) {
  const bool lone = twin.lone > 0;
  std::vector<int32_t> lengths =
      lengthsBy({twin.spread, twin.longest}, twin.rows - (lone ? 1 : 0), nnz - twin.lone);
  shuffle(Random(seed, Drawn::lengths, 0), lengths, static_cast<size_t>(twin.block));
  if (lone)
    lengths.push_back(static_cast<int32_t>(twin.lone));
  return lengths;
}

static void fillTwinRow(const Twin &twin, Random random, int64_t row, std::span<int32_t> col) {
  if (col.empty())
    return;
  const auto block = static_cast<size_t>(twin.block);
  const size_t count = (col.size() + block - 1) / block;
  const int64_t blocks = twin.cols / twin.block, reach = std::max(twin.reach, int64_t(count));
  const Window window = windowOf(row / twin.block, (twin.rows - 1) / twin.block + 1, blocks, reach);
  const auto far = static_cast<size_t>(twin.far * static_cast<double>(count) + random.unit());
  const size_t near = std::min(count - std::min(far, count - 1), size_t(window.size()));
  col[0] = static_cast<int32_t>(window.diagonal);
  extendDistinct(random, col.first(near), 1, window.begin, window.end);
  extendDistinct(random, col.first(count), near, 0, blocks);
  expandBlocks(col, block);
}

static llvm::Expected<CsrMatrix> build(const Twin &twin, int64_t nnz, uint64_t seed) {
  // A file may store only the lower triangle: the matrix then has twice as many entries, minus the
  // diagonal.
  const int64_t diagonal = twin.diagonal < 0 ? twin.rows : twin.diagonal;
  const bool stored = nnz != twin.nnz && 2 * nnz - diagonal == twin.nnz;
  switch (twin.kind) {
  case TwinKind::family:
    return generateFamily(twin.what.str() + ",seed=" + std::to_string(seed));
  case TwinKind::symmetric:
    return buildTwinByPairs(twin, nnz, !stored, seed);
  case TwinKind::triangle:
    return buildTwinByPairs(twin, nnz, false, seed);
  case TwinKind::rows:
    break;
  }
  return buildTwinByRows(twin, nnz, seed);
}

llvm::Expected<CsrMatrix> buildTwinByRows(const Twin &twin, int64_t nnz, uint64_t seed) {
  const std::vector<int32_t> lengths = drawTwinLengths(twin, nnz, seed);
  const auto lengthOf = [&](int64_t row) { return lengths[static_cast<size_t>(row)]; };
  return buildMatrix(twin.rows, twin.cols, Values{seed, false}, lengthOf,
                     [&](int64_t row, std::span<int32_t> col) {
                       Random random(seed, Drawn::columns, row / twin.block);
                       fillTwinRow(twin, random, row, col);
                     });
}

llvm::Expected<CsrMatrix> generateTwin(const SpecOptions &options) {
  const Twin &twin = twinOf(options.text("name"));
  const bool asPaper = options.text("as") == "paper";
  const int64_t nnz = asPaper && twin.paperNnz > 0 ? twin.paperNnz : twin.nnz;
  llvm::Expected<CsrMatrix> matrix = build(twin, nnz, seedOf(options));
  if (matrix)
    matrix->name = ("twin:" + twin.name + (asPaper ? ",as=paper" : "") +
                    (options.given("seed") ? ",seed=" + options.text("seed") : ""))
                       .str();
  return matrix;
}

// --- Twin degrees --------------------------------------------------------------------------------

// Moves ends of edges, one after another in the order of the nodes, so that the result is the same
// everywhere.

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

// --- Twin pairs ----------------------------------------------------------------------------------

// Twins with a symmetric pattern: entries below the diagonal, node by node, and their mirror
// images. The lengths of rows below the diagonal follow a law. Mirroring adds a random number of
// entries to a row, with the variance of a Poisson law. If the rows of the twin vary less than
// that, as on regular meshes, the nodes of a patch share some of the distances to their neighbours.
// Edges move from nodes that would have more neighbours than the longest row.

// Length of a patch, in multiples of the reach of neighbours (chosen). Nodes of different patches
// share no distances.
constexpr int64_t kPatchReaches = 8;
constexpr double kMostRegular = 0.95;
constexpr size_t kMostDistances = 64; // the most distances that a patch shares
constexpr int64_t kNodesPerRange = 512;

namespace {
class LowerTriangle {
public:
  // `entries` entries lie strictly below a diagonal that holds `diagonal` entries.
  LowerTriangle(const Twin &twin, int64_t entries, int64_t diagonal, bool mirrored, uint64_t seed)
      : twin_(twin), seed_(seed), entries_(entries), diagonal_(diagonal) {
    const std::vector<int32_t> lengths = drawLengths(mirrored);
    countEntries(lengths);
    col_.resize(static_cast<size_t>(pointer_.back()));
    parallelFor(nodes(), kNodesPerRange, [&](int64_t begin, int64_t end) {
      for (int64_t node = begin; node < end; ++node)
        fillNode(node);
    });
    if (mirrored)
      boundDegrees({pointer_, col_}, mostNeighbours(),
                   twin_.spread / static_cast<double>(twin_.block), twin_.reach);
  }

  // Calls f with the kept columns of a row.
  template <class F> void forRow(int64_t row, const F &f) const {
    const int64_t node = row / twin_.block, first = node * twin_.block, in = row - first;
    const std::span<const int32_t> neighbours = neighboursOf(node);
    int64_t entry = first_[static_cast<size_t>(node)] + in * (in - 1) / 2 +
                    in * twin_.block * static_cast<int64_t>(neighbours.size());
    for (const int32_t neighbour : neighbours)
      for (int64_t i = 0; i < twin_.block; ++i)
        if (keeps(entry++))
          f(neighbour * twin_.block + i);
    for (int64_t col = first; col < row; ++col)
      if (keeps(entry++))
        f(col);
  }

private:
  // The longest row has this many neighbours beside its own block or its entry on the diagonal.
  int64_t mostNeighbours() const {
    const bool hasOwn = twin_.block > 1 || diagonal_ > 0;
    return std::max<int64_t>(twin_.longest / twin_.block - (hasOwn ? 1 : 0), 1);
  }
  int64_t nodes() const { return (twin_.rows - 1) / twin_.block + 1; }
  int64_t rowsOf(int64_t node) const {
    return std::min(twin_.block, twin_.rows - node * twin_.block);
  }
  std::span<const int32_t> neighboursOf(int64_t node) const {
    const auto *pointer = pointer_.data() + node;
    return {col_.data() + pointer[0], col_.data() + pointer[1]};
  }

  // Drops the surplus entries, spread evenly over all entries. The products are below 2^62.
  bool keeps(int64_t entry) const {
    const int64_t all = first_.back(), surplus = all - entries_;
    return (entry + 1) * surplus / all == entry * surplus / all;
  }

  // The number of earlier neighbours of each node, large enough that the sum is reached without the
  // last node, which may have fewer rows.
  std::vector<int32_t> drawLengths(bool mirrored) {
    const int64_t b = twin_.block, whole = twin_.rows / b;
    const int64_t within = whole * (b * (b - 1) / 2),
                  between = std::max<int64_t>(entries_ - within, 0);
    // The lone row is the last one: no mirror image adds to it, so it keeps its exact length.
    const int64_t lone = std::max<int64_t>(twin_.lone - 1, 0), others = whole - (lone > 0);
    const int64_t total = (between + b * b - 1) / (b * b) - lone;
    const LengthLaw law =
        lawBelow(static_cast<double>(total) / static_cast<double>(others), mirrored);
    std::vector<int32_t> lengths = lengthsBy(law, others, total);
    shuffle(Random(seed_, Drawn::lengths, 0), lengths);
    // A node cannot have more earlier neighbours than earlier nodes: long rows move to the other
    // end.
    for (size_t node = 0; node < lengths.size() / 2; ++node)
      if (lengths[node] > static_cast<int32_t>(node))
        std::swap(lengths[node], lengths[lengths.size() - 1 - node]);
    meetTotal(lengths, total, [](int64_t node) { return node; });
    if (lone > 0)
      lengths.push_back(static_cast<int32_t>(lone));
    if (nodes() > whole)
      lengths.push_back(lengths.back());
    return lengths;
  }

  // The law of the number of earlier neighbours of a node, with this mean, derived from the law of
  // whole rows. Among later nodes, neighbours at the distances of the patch, a fraction q of all,
  // add mean q (1 - q) to the variance, and the others add mean (1 - q).
  LengthLaw lawBelow(double mean, bool mirrored) {
    const auto b = static_cast<double>(twin_.block);
    const double filled = static_cast<double>(diagonal_) / static_cast<double>(twin_.rows);
    double variance = (twin_.spread * twin_.spread - filled * (1 - filled)) / (b * b);
    double longest = static_cast<double>(twin_.longest) / b - 1;
    if (mirrored) {
      regular_ = std::min(std::sqrt(std::max(1 - variance / mean, 0.0)), kMostRegular);
      distances_ = std::min({static_cast<size_t>(std::llround(mean)), kMostDistances,
                             static_cast<size_t>(twin_.reach)});
      variance -= mean * (1 - regular_) * (1 + regular_);
      longest -= mean;
    }
    return {std::sqrt(std::max(variance, 0.0)), std::llround(std::max(longest, 0.0))};
  }

  void countEntries(const std::vector<int32_t> &lengths) {
    for (int64_t node = 0; node < nodes(); ++node) {
      const int64_t length = lengths[static_cast<size_t>(node)], rows = rowsOf(node);
      pointer_.push_back(pointer_.back() + static_cast<int32_t>(length));
      first_.push_back(first_.back() + rows * (rows - 1) / 2 + rows * twin_.block * length);
    }
  }

  // Takes the neighbours of a node at the distances of its patch, each with probability `regular_`,
  // and returns their number.
  size_t fillShared(Random &random, int64_t node, std::span<int32_t> out) const {
    std::array<int32_t, kMostDistances> buffer;
    const std::span<int32_t> distances = std::span(buffer).first(distances_);
    Random patch(seed_, Drawn::lengths, 1 + node / (kPatchReaches * twin_.reach));
    drawDistinct(patch, distances, twin_.reach);
    size_t count = 0;
    for (size_t i = distances.size(); i-- > 0 && count < out.size();)
      if (random.unit() < regular_ && distances[i] < node)
        out[count++] = static_cast<int32_t>(node) - distances[i] - 1;
    return count;
  }

  void fillNode(int64_t node) {
    const auto *pointer = pointer_.data() + node;
    const std::span<int32_t> out(col_.data() + pointer[0], col_.data() + pointer[1]);
    Random random(seed_, Drawn::columns, node);
    const size_t shared = fillShared(random, node, out);
    const auto far =
        static_cast<size_t>(twin_.far * static_cast<double>(out.size()) + random.unit());
    const int64_t begin = std::max<int64_t>(node - std::max(twin_.reach, int64_t(out.size())), 0);
    const size_t near = std::max(out.size() - std::min(far, out.size()), shared);
    extendDistinct(random, out.first(near), shared, begin, node);
    extendDistinct(random, out, near, 0, node);
  }

  const Twin &twin_;
  uint64_t seed_;
  int64_t entries_, diagonal_;
  double regular_ = 0; // share of the neighbours at the distances of the patch
  size_t distances_ = 0;
  std::vector<int32_t> pointer_{0}, col_; // CSR of the earlier neighbours of each node
  std::vector<int64_t> first_{0};         // entries before those of a node
};
} // namespace

llvm::Expected<CsrMatrix> buildTwinByPairs(const Twin &twin, int64_t nnz, bool mirrored,
                                           uint64_t seed) {
  int64_t diagonal = twin.diagonal < 0 ? twin.rows : twin.diagonal;
  const int64_t copies = mirrored ? 2 : 1;
  diagonal -= (nnz - diagonal) % copies;
  const LowerTriangle lower(twin, (nnz - diagonal) / copies, diagonal, mirrored, seed);
  const auto emitEntries = [&](int64_t begin, int64_t end, Emit emit) {
    for (int64_t row = begin; row < end; ++row) {
      if ((row + 1) * diagonal / twin.rows > row * diagonal / twin.rows)
        emit(row, row);
      lower.forRow(row, [&](int64_t col) {
        emit(row, col);
        if (mirrored)
          emit(col, row);
      });
    }
  };
  return buildFromEntries(twin.rows, twin.cols, Values{seed, false}, twin.rows, emitEntries);
}

// --- Twin note -----------------------------------------------------------------------------------

// Finds the twin that a matrix name refers to, and says how it was made.

static std::string noteOf(const Twin &twin) {
  if (twin.kind == TwinKind::family)
    return llvm::formatv(
        "stands for {0}, generated as {1} by a family that contains it or a similar one", twin.name,
        twin.what);
  return llvm::formatv("a twin of {0}: generated with its numbers of rows, columns and entries and "
                       "the structure of its kind; it is not the original matrix",
                       twin.name);
}

std::string twinNote(llvm::StringRef name) {
  if (name.consume_front("twin:"))
    for (const Twin &twin : kTwins)
      if (name.split(',').first == twin.name)
        return noteOf(twin);
  return "";
}

} // namespace specmv
