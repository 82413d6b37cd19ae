// Makes matrices from entries in any order: counts them, places them, and sorts each row. The order
// in which threads place the entries varies, but the sorted rows are always the same.
#include "models/lab/families/entries.h"

#include "models/base/machine_memory.h"
#include "models/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace specmv {
constexpr int64_t kSourcesPerRange = 4096;
constexpr int64_t kRowsPerSort = 1024;

using Counts = std::vector<uint32_t>;

static void forAll(int64_t sources, const EmitEntries &emitEntries, Emit emit) {
  parallelFor(sources, kSourcesPerRange,
              [&](int64_t begin, int64_t end) { emitEntries(begin, end, emit); });
}

static uint32_t addOne(uint32_t &count) {
  return std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
}

// Places all entries. next[row] is where the row begins before the call, and where it ends after
// it.
static std::vector<int32_t> place(Counts &next, int64_t nnz, int64_t sources,
                                  const EmitEntries &emitEntries) {
  std::vector<int32_t> col(static_cast<size_t>(nnz));
  forAll(sources, emitEntries, [&](int64_t row, int64_t column) {
    col[addOne(next[static_cast<size_t>(row)])] = static_cast<int32_t>(column);
  });
  return col;
}

// Sorts the columns of each row, drops repeated ones and returns the new lengths.
static std::vector<int32_t> sortRows(std::vector<int32_t> &col, const Counts &ends) {
  std::vector<int32_t> lengths(ends.size());
  parallelFor(static_cast<int64_t>(ends.size()), kRowsPerSort, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      const auto first = col.begin() + (row == 0 ? 0 : ends[row - 1]);
      const auto last = col.begin() + ends[row];
      std::sort(first, last);
      lengths[row] = static_cast<int32_t>(std::unique(first, last) - first);
    }
  });
  return lengths;
}

// Closes the gaps that repeated columns left, and fills rowPtr.
static void closeGaps(CsrMatrix &matrix, const Counts &ends, const std::vector<int32_t> &lengths) {
  matrix.rowPtr.assign(ends.size() + 1, 0);
  for (size_t row = 0; row < ends.size(); ++row) {
    const auto first = matrix.col.begin() + (row == 0 ? 0 : ends[row - 1]);
    std::copy(first, first + lengths[row], matrix.col.begin() + matrix.rowPtr[row]);
    matrix.rowPtr[row + 1] = matrix.rowPtr[row] + lengths[row];
  }
  matrix.col.resize(static_cast<size_t>(matrix.rowPtr.back()));
}

static void fillValues(CsrMatrix &matrix, const Values &values) {
  matrix.val.resize(matrix.col.size());
  parallelFor(matrix.rows, kRowsPerSort, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int32_t *pointer = matrix.rowPtr.data() + row;
      drawValues(Random(values.seed, Drawn::values, row), values.integers,
                 std::span(matrix.val.data() + pointer[0], matrix.val.data() + pointer[1]));
    }
  });
}

llvm::Expected<CsrMatrix> buildFromEntries(int64_t rows, int64_t cols, const Values &values,
                                           int64_t sources, const EmitEntries &emitEntries) {
  if (llvm::Error error = checkRowsFit(rows, cols, availableMemory()))
    return error;
  Counts counts(static_cast<size_t>(rows));
  forAll(sources, emitEntries,
         [&](int64_t row, int64_t) { addOne(counts[static_cast<size_t>(row)]); });
  const int64_t nnz = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (llvm::Error error = checkFits(rows, cols, nnz, availableMemory()))
    return error;
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), uint32_t{0});
  CsrMatrix matrix{{}, rows, cols, {}, place(counts, nnz, sources, emitEntries), {}};
  closeGaps(matrix, counts, sortRows(matrix.col, counts));
  fillValues(matrix, values);
  return matrix;
}

} // namespace specmv
