// Twins of the papers' matrices. A twin has the numbers of rows, columns and non-zeros of the
// original, the structure of matrices of that kind, and the row lengths as far as they are known.
// If a family can generate the original matrix itself, the twin comes from that family.
#include "models/lab/families/twin.h"

#include "models/lab/families/families.h"
#include "models/lab/families/lengths.h"

#include <cmath>

namespace specmv {
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

} // namespace specmv
