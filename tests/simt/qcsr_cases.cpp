// Makes the matrices and plans of QCSR's packing.
#include "tests/simt/qcsr_cases.h"

#include "models/base/numbers.h"
#include "templates/pack/qcsr_sizes.cuh"

#include <algorithm>
#include <functional>

namespace specmv::simt {

namespace {

using Matrix = std::shared_ptr<const TestMatrix>;
using RowOf = std::function<void(int64_t row, std::vector<int32_t> &columns)>;

Matrix largeMatrixOf(const char *name, int64_t rows, int64_t cols, bool isSorted,
                     const RowOf &rowOf) {
  auto a = std::make_shared<TestMatrix>(TestMatrix{name, rows, cols, {0}, {}, false});
  for (int64_t i = 0; i < rows; ++i) {
    std::vector<int32_t> row;
    rowOf(i, row);
    if (isSorted)
      std::sort(row.begin(), row.end());
    a->col.insert(a->col.end(), row.begin(), row.end());
    a->rowPtr.push_back(static_cast<int32_t>(a->col.size()));
  }
  return a;
}

// Rows of 0 .. 13 entries near the diagonal, some of them in the same column; every 97th is longer,
// and 300 rows in the middle are empty.
Matrix bandMatrix(int64_t rows, bool isSorted) {
  return largeMatrixOf(isSorted ? "band" : "unsorted band", rows, rows, isSorted,
                       [=](int64_t i, std::vector<int32_t> &row) {
                         Random random(5, Drawn::values, i);
                         const bool isEmpty = i >= rows / 2 && i < rows / 2 + 300;
                         const int64_t length = i % 97 == 5 ? 70 : random.below(14);
                         for (int64_t k = 0; k < length && !isEmpty; ++k)
                           row.push_back(static_cast<int32_t>(
                               std::clamp<int64_t>(i - 200 + random.below(400), 0, rows - 1)));
                       });
}

// Columns anywhere, and one row with all of them.
Matrix scatteredMatrix(int64_t rows, int64_t cols) {
  return largeMatrixOf("scattered and a full row", rows, cols, true,
                       [=](int64_t i, std::vector<int32_t> &row) {
                         Random random(6, Drawn::values, i);
                         for (int64_t k = 0; k < (i == 700 ? cols : i % 11); ++k)
                           row.push_back(static_cast<int32_t>(i == 700 ? k : random.below(cols)));
                       });
}

// Rows with an entry in every step-th of `tiles` tiles of 16 columns.
Matrix tileMatrix(int32_t tiles, int32_t step) {
  return largeMatrixOf("an entry in each tile", 40, 16 * int64_t{tiles}, true,
                       [=](int64_t i, std::vector<int32_t> &row) {
                         for (int32_t tile = 0; tile < tiles && i % 5 == 0; tile += step)
                           row.push_back(16 * tile + static_cast<int32_t>(i % 16));
                       });
}

Plan slicesPlanOf(int64_t d, int64_t rows, int64_t block, int64_t window, int64_t bits) {
  return {.format = "qcsr",
          .integers = {{"qcsr.d", d},
                       {"qcsr.slices", 1},
                       {"qcsr.stage", window > 0},
                       {"qcsr.zerocopy", 0},
                       {"qcsr.rows", rows},
                       {"window", window},
                       {"block", block},
                       {"offset", bits},
                       {"column", bits}},
          .reals = {}};
}

} // namespace

std::vector<QcsrCase> qcsrCases() {
  const Problem narrow{ValueType::f32, true}, wide{ValueType::f64, true};
  const Matrix band = bandMatrix(20000, true), unsorted = bandMatrix(3000, false);
  const Matrix scattered = scatteredMatrix(2500, 9000);
  const Matrix fewTiles = tileMatrix(900, 3), tooManyTiles = tileMatrix(kQcsrPackedTiles + 1, 1);
  const auto i32 = IndexType::i32, i64 = IndexType::i64;
  return {{band, narrow, slicesPlanOf(32768, 4096, 256, 5120, 32), i32, true},
          {band, wide, slicesPlanOf(1024, 1024, 1024, 1024, 64), i64, true},
          {band, wide, slicesPlanOf(32768, 256, 256, 1024, 32), i32, true},
          {band, narrow, slicesPlanOf(32768, 64, 256, 0, 32), i64, true},
          {band, wide, slicesPlanOf(128, 32, 64, 0, 32), i32, true},
          {scattered, wide, slicesPlanOf(1024, 512, 256, 0, 32), i32, true},
          {scattered, narrow, slicesPlanOf(2048, 128, 512, 0, 64), i32, true},
          {scattered, narrow, slicesPlanOf(1 << 20, 4096, 32, 9000, 32), i32, true},
          {unsorted, wide, slicesPlanOf(32768, 128, 256, 0, 32), i32, false},
          {tooManyTiles, wide, slicesPlanOf(16, 32, 256, 0, 32), i32, false},
          {fewTiles, wide, slicesPlanOf(16, 32, 256, 16, 32), i32, true}};
}

} // namespace specmv::simt
