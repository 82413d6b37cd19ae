// Builds a generated matrix row by row, for all families.
#include "models/lab/families/build.h"

#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace specmv {
// Rows and entries in a range of parallelFor: enough to hide the cost of taking a range, which is
// one atomic addition, and few enough to balance rows of very different lengths.
constexpr int64_t kRowsPerRange = 4096;
constexpr int64_t kEntriesPerRange = 65536;

static int64_t countEntries(int64_t rows, const LengthOf &lengthOf) {
  std::atomic<int64_t> total{0};
  parallelFor(rows, kRowsPerRange, [&](int64_t begin, int64_t end) {
    int64_t sum = 0;
    for (int64_t row = begin; row < end; ++row)
      sum += lengthOf(row);
    total += sum;
  });
  return total;
}

// Counting all entries takes a minute for 2^31 rows, so a matrix that is far too large is refused
// from a random sample of rows. The estimate is the mean of the sample less one percent (the sample
// may miss rare lengths) and less eight standard errors; it is almost never above the true mean.
static llvm::Error checkSample(int64_t rows, int64_t cols, const LengthOf &lengthOf,
                               int64_t memory) {
  constexpr int64_t kSample = 1 << 14;
  if (rows < 16 * kSample)
    return llvm::Error::success();
  double sum = 0, squares = 0;
  Random random(0, Drawn::lengths, rows);
  for (int64_t i = 0; i < kSample; ++i) {
    const auto length = static_cast<double>(lengthOf(random.below(rows)));
    sum += length;
    squares += length * length;
  }
  const double mean = sum / kSample, variance = std::max(squares / kSample - mean * mean, 0.0);
  const double least = 0.99 * (mean - 8 * std::sqrt(variance / kSample));
  const auto entries = [=](double length) {
    return std::llround(std::max(length, 0.0) * static_cast<double>(rows));
  };
  if (llvm::Error error = checkFits(rows, cols, entries(least), memory)) {
    llvm::consumeError(std::move(error));
    return checkFits(rows, cols, entries(mean), memory, "about ");
  }
  return llvm::Error::success();
}

// Checks the memory before anything is allocated. What is too large for any machine is told first.
static llvm::Error checkLengths(int64_t rows, int64_t cols, const LengthOf &lengthOf) {
  const int64_t memory = availableMemory();
  return inTurn([&] { return checkSample(rows, cols, lengthOf, memory); },
                [&] { return checkRowsFit(rows, cols, memory); },
                [&] { return checkFits(rows, cols, countEntries(rows, lengthOf), memory); });
}

static std::vector<int32_t> rowPointers(int64_t rows, const LengthOf &lengthOf) {
  std::vector<int32_t> rowPtr(static_cast<size_t>(rows) + 1);
  parallelFor(rows, kRowsPerRange, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      rowPtr[static_cast<size_t>(row) + 1] = static_cast<int32_t>(lengthOf(row));
  });
  for (size_t row = 0; row + 1 < rowPtr.size(); ++row)
    rowPtr[row + 1] += rowPtr[row];
  return rowPtr;
}

llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const LengthOf &lengthOf,
                                      const FillRow &fillRow) {
  if (llvm::Error error = checkLengths(rows, cols, lengthOf))
    return error;
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

llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const Values &values,
                                      const LengthOf &lengthOf, const FillColumns &fillColumns) {
  const auto fillRow = [&](int64_t row, std::span<int32_t> col, std::span<double> val) {
    fillColumns(row, col);
    drawValues(Random(values.seed, Drawn::values, row), values.integers, val);
  };
  return buildMatrix(rows, cols, lengthOf, fillRow);
}

llvm::Expected<CsrMatrix> buildMatrix(const SpecOptions &options, const LengthOf &lengthOf,
                                      const FillColumns &fillColumns) {
  return buildMatrix(options.integer("rows"), options.integer("cols"), valuesOf(options), lengthOf,
                     fillColumns);
}

// 12 bytes per entry; per row 4 bytes of rowPtr and 4 bytes of the generator's own data.
static int64_t bytesOf(int64_t rows, int64_t nnz) { return 12 * nnz + 8 * rows; }

llvm::Error checkFits(int64_t rows, int64_t cols, int64_t nnz, int64_t memory, const char *about) {
  if (nnz > kMaxIndex)
    return fail(Status::badCall, "a matrix of {0} x {1} would have {2}{3} entries, more than {4}",
                rows, cols, about, nnz, kMaxIndex);
  if (const int64_t bytes = bytesOf(rows, nnz); bytes > memory)
    return fail(Status::missing,
                "a matrix of {0} x {1} with {2}{3} entries needs {4} MiB; this machine has {5} MiB "
                "available",
                rows, cols, about, nnz, bytes >> 20, memory >> 20);
  return llvm::Error::success();
}

llvm::Error checkRowsFit(int64_t rows, int64_t cols, int64_t memory) {
  const int64_t bytes = bytesOf(rows, 0);
  return bytes > memory
             ? fail(
                   Status::missing,
                   "the rows of a matrix of {0} x {1} alone need {2} MiB; this machine has {3} MiB "
                   "available",
                   rows, cols, bytes >> 20, memory >> 20)
             : llvm::Error::success();
}

llvm::Error checkMean(const SpecOptions &options, llvm::StringRef family, llvm::StringRef mean) {
  const int64_t rows = options.integer("rows");
  const double entries = options.real(mean) * static_cast<double>(rows);
  if (entries > static_cast<double>(kMaxIndex))
    return fail(Status::badCall, "{0}: rows={1} x {2}={3} is more than {4} entries", family, rows,
                mean, options.text(mean), kMaxIndex);
  const int64_t bytes = bytesOf(rows, std::llround(entries)), memory = availableMemory();
  if (bytes <= memory)
    return llvm::Error::success();
  return fail(Status::missing,
              "{0}: rows={1} x {2}={3} entries need {4} MiB; this machine has {5} MiB available",
              family, rows, mean, options.text(mean), bytes >> 20, memory >> 20);
}

uint64_t seedOf(const SpecOptions &options) {
  return static_cast<uint64_t>(options.integer("seed"));
}

Values valuesOf(const SpecOptions &options) {
  return {seedOf(options), options.text("values") == "integer"};
}

void drawValues(Random random, bool integers, std::span<double> val) {
  for (double &value : val)
    value = integers ? random.smallInteger() : random.signedUnit();
}

llvm::Error checkBand(const SpecOptions &options, llvm::StringRef family) {
  const int64_t k = options.integer("k"), half = options.integer("half");
  const int64_t cols = options.integer("cols"), band = std::min(2 * half + 1, cols);
  if (k <= band)
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0}: k={1} exceeds the {2} columns of a row's band (half={3}, cols={4})", family, k,
              band, half, cols);
}

Window windowOf(int64_t row, int64_t rows, int64_t cols, int64_t half) {
  const int64_t diagonal = row * cols / rows; // both factors are below 2^31: no overflow
  return {diagonal, std::max<int64_t>(diagonal - half, 0), std::min(diagonal + half + 1, cols)};
}

// Goes backwards, so that no block column is overwritten before it is read.
void expandBlocks(std::span<int32_t> col, size_t width) {
  for (size_t block = (col.size() + width - 1) / width; block-- > 0;) {
    const int32_t first = col[block] * static_cast<int32_t>(width);
    const std::span<int32_t> rest = col.subspan(block * width);
    const std::span<int32_t> columns = rest.first(std::min(width, rest.size()));
    std::iota(columns.begin(), columns.end(), first);
  }
}

} // namespace specmv
