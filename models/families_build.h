// What the families share: their generators' names and the loop that fills a matrix row by row.
#pragma once

#include "models/csr.h"
#include "models/random.h"
#include "models/spec.h"

#include <functional>
#include <limits>
#include <span>

namespace specmv {

// Largest number of rows, columns and entries: the indices of a CsrMatrix have 32 bits.
constexpr int64_t kMaxIndex = std::numeric_limits<int32_t>::max();

// One generator a family; families.cpp says what each makes.
llvm::Expected<CsrMatrix> generateStencil5(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateStencil7(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateStencil9(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateStencil27(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateBand(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateRandom(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateSpike(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateBlocks(const SpecOptions &options);
llvm::Expected<CsrMatrix> generatePowerlaw(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateDense(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateDiagonal(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateEmpty(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateChessboard(const SpecOptions &options);

// Number of entries of a row. Called from several threads, more than once a row.
using LengthOf = std::function<int64_t(int64_t row)>;
// Writes a row: columns ascending, none repeated. Called from several threads; must not throw, so
// it must not allocate.
using FillRow = std::function<void(int64_t row, std::span<int32_t> col, std::span<double> val)>;
using FillColumns = std::function<void(int64_t row, std::span<int32_t> col)>;

// Builds a matrix from its rows. Fails with badCall, before anything is allocated, where there are
// more than 2^31-1 entries.
llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const LengthOf &lengthOf,
                                      const FillRow &fillRow);

// The same with the values that the keys `values` and `seed` ask for.
llvm::Expected<CsrMatrix> buildMatrix(const SpecOptions &options, const LengthOf &lengthOf,
                                      const FillColumns &fillColumns);

uint64_t seedOf(const SpecOptions &options);

// Draws the values of a row: `random` or `integer`, see Random.
void drawValues(Random random, bool integers, std::span<double> val);

// The columns within `half` of the row's diagonal column, which is floor(row cols / rows).
struct Window {
  int64_t diagonal, begin, end;
  int64_t size() const { return end - begin; }
};
Window windowOf(int64_t row, int64_t rows, int64_t cols, int64_t half);

} // namespace specmv
