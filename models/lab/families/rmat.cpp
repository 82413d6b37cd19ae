// R-MAT graphs (Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining", 2004)
// with the probabilities of the Graph500. An edge is in one quarter of the matrix, then in one
// quarter of that quarter, and so on. Edges are directed, vertices are not renumbered (low numbers
// are the hubs), and loops are kept. An edge that is drawn several times counts once, so there are
// fewer entries than edges.
#include "models/lab/families/entries.h"

#include "models/base/error.h"
#include "models/base/machine_memory.h"

namespace specmv {
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

} // namespace specmv
