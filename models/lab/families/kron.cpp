// Stochastic Kronecker graphs (Leskovec, Chakrabarti, Kleinberg, Faloutsos and Ghahramani,
// "Kronecker graphs: an approach to modeling networks", 2010) of a symmetric initiator of 3 x 3: an
// edge is in one ninth of the matrix, then in one ninth of that ninth, and so on. Nodes are
// numbered at random. The pattern is symmetric: an edge and its mirror image are entries, repeated
// ones count once, and loops are kept.
#include "models/lab/families/entries.h"
#include "models/lab/families/mesh.h"

#include "models/base/error.h"
#include "models/base/machine_memory.h"

#include <array>

namespace specmv {
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

} // namespace specmv
