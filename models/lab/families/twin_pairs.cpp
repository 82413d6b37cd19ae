// Twins with a symmetric pattern: entries below the diagonal, node by node, and their mirror
// images. The lengths of rows below the diagonal follow a law. Mirroring adds a random number of
// entries to a row, with the variance of a Poisson law. If the rows of the twin vary less than
// that, as on regular meshes, the nodes of a patch share some of the distances to their neighbours.
// Edges move from nodes that would have more neighbours than the longest row.
#include "models/lab/families/entries.h"
#include "models/lab/families/lengths.h"
#include "models/lab/families/twin.h"
#include "models/lab/families/twin_degrees.h"

#include "models/base/parallel.h"

#include <array>
#include <cmath>

namespace specmv {
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

} // namespace specmv
