// Matrices like those of circuits: the diagonal, a few neighbours of each node, most of them
// nearby, and rails (ground, supplies, clocks). Many nodes connect to a rail, so its row and column
// are long. The pattern is symmetric. The distances of near links are log-uniform. This law and the
// share of far links are assumptions; no circuit was measured.
#include "models/lab/families/entries.h"
#include "models/lab/families/lengths.h"

#include "models/base/error.h"

namespace specmv {
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
