// Builds a generated matrix row by row, for all families.
#include "models/families_build.h"

#include "models/error.h"
#include "models/parallel.h"

#include <algorithm>
#include <atomic>

namespace specmv {
namespace {

// Rows and entries per range of parallelFor: enough to hide the cost of drawing a range, which is
// one atomic addition, and little enough to balance rows of very different length.
constexpr int64_t kRowsPerRange = 4096;
constexpr int64_t kEntriesPerRange = 65536;

// Whether the lengths sum to more than a 32-bit index holds. Stops early, so that an absurd request
// costs neither memory nor time.
bool exceedsIndex(int64_t rows, const LengthOf &lengthOf) {
  std::atomic<int64_t> total{0};
  parallelFor(rows, kRowsPerRange, [&](int64_t begin, int64_t end) {
    int64_t sum = 0;
    for (int64_t row = begin; row < end && total.load() + sum <= kMaxIndex; ++row)
      sum += lengthOf(row);
    total += sum;
  });
  return total > kMaxIndex;
}

std::vector<int32_t> rowPointers(int64_t rows, const LengthOf &lengthOf) {
  std::vector<int32_t> rowPtr(static_cast<size_t>(rows) + 1);
  parallelFor(rows, kRowsPerRange, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      rowPtr[static_cast<size_t>(row) + 1] = static_cast<int32_t>(lengthOf(row));
  });
  for (size_t row = 0; row + 1 < rowPtr.size(); ++row)
    rowPtr[row + 1] += rowPtr[row];
  return rowPtr;
}

} // namespace

llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const LengthOf &lengthOf,
                                      const FillRow &fillRow) {
  if (exceedsIndex(rows, lengthOf))
    return fail(Status::badCall, "{0} x {1} would have more than {2} entries", rows, cols,
                kMaxIndex);
  CsrMatrix matrix{{}, rows, cols, rowPointers(rows, lengthOf), {}, {}};
  const size_t nnz = static_cast<size_t>(matrix.rowPtr.back());
  matrix.col.resize(nnz);
  matrix.val.resize(nnz);
  const int64_t meanLength = static_cast<int64_t>(nnz) / std::max<int64_t>(rows, 1) + 1;
  const int64_t grain = std::clamp<int64_t>(kEntriesPerRange / meanLength, 1, kRowsPerRange);
  parallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const auto *pointer = matrix.rowPtr.data() + row;
      const auto first = static_cast<size_t>(pointer[0]);
      const auto length = static_cast<size_t>(pointer[1]) - first;
      fillRow(row, {matrix.col.data() + first, length}, {matrix.val.data() + first, length});
    }
  });
  return matrix;
}

llvm::Expected<CsrMatrix> buildMatrix(const SpecOptions &options, const LengthOf &lengthOf,
                                      const FillColumns &fillColumns) {
  const bool integers = options.text("values") == "integer";
  const auto fillRow = [&, seed = seedOf(options)](int64_t row, std::span<int32_t> col,
                                                   std::span<double> val) {
    fillColumns(row, col);
    drawValues(Random(seed, Drawn::values, row), integers, val);
  };
  return buildMatrix(options.integer("rows"), options.integer("cols"), lengthOf, fillRow);
}

uint64_t seedOf(const SpecOptions &options) {
  return static_cast<uint64_t>(options.integer("seed"));
}

void drawValues(Random random, bool integers, std::span<double> val) {
  for (double &value : val)
    value = integers ? random.smallInteger() : random.signedUnit();
}

Window windowOf(int64_t row, int64_t rows, int64_t cols, int64_t half) {
  const int64_t diagonal = row * cols / rows; // both below 2^31: the product fits 62 bits
  return {diagonal, std::max<int64_t>(diagonal - half, 0), std::min(diagonal + half + 1, cols)};
}

} // namespace specmv
