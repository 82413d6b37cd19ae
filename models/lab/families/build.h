// What all families use: the declarations of their generators, and the loop that fills a matrix row
// by row.
#pragma once

#include "models/base/random.h"
#include "models/csr.h"
#include "models/lab/families/spec.h"

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
llvm::Expected<CsrMatrix> generateWeb(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateFeatures(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateWidetable(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateHypersparse(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateArrow(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateDense(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateDiagonal(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateEmpty(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateChessboard(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateFem2d(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateFem3d(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateElasticity(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateCoupled(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateDg(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateCircuit(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateCommunities(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateEpidemic(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateQcd(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateRmat(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateMycielskian(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateLp(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateRowlengths(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateTwin(const SpecOptions &options);

// Number of entries of a row. Called from several threads, more than once a row.
using LengthOf = std::function<int64_t(int64_t row)>;
// Writes a row: columns ascending, none repeated. Called from several threads; must not throw, so
// it must not allocate.
using FillRow = std::function<void(int64_t row, std::span<int32_t> col, std::span<double> val)>;
using FillColumns = std::function<void(int64_t row, std::span<int32_t> col)>;

// Builds a matrix from its rows. Before anything is allocated, fails with badCall if there are more
// than 2^31-1 entries, and with missing if they do not fit into the memory that this machine has
// available; at once where a sample of rows shows it, else after all rows were counted.
llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const LengthOf &lengthOf,
                                      const FillRow &fillRow);

uint64_t seedOf(const SpecOptions &options);

// The keys `values` and `seed`.
struct Values {
  uint64_t seed = 0;
  bool integers = false;
};
Values valuesOf(const SpecOptions &options);

// Draws the values of a row: `random` or `integer`, see Random.
void drawValues(Random random, bool integers, std::span<double> val);

// Builds a matrix from the columns of its rows.
llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const Values &values,
                                      const LengthOf &lengthOf, const FillColumns &fillColumns);

// The same; takes everything but the columns from the keys `rows`, `cols`, `values` and `seed`.
llvm::Expected<CsrMatrix> buildMatrix(const SpecOptions &options, const LengthOf &lengthOf,
                                      const FillColumns &fillColumns);

// Fails if a matrix of so many rows and entries cannot have 32-bit indices (badCall) or needs more
// than `memory` bytes (missing). `about` stands before a number of entries that is estimated.
llvm::Error checkFits(int64_t rows, int64_t cols, int64_t nnz, int64_t memory,
                      const char *about = "");

// The same for the key `rows` times `mean`, the key of the mean length of a row, before any table
// of rows is made. The sentence begins with the family.
llvm::Error checkMean(const SpecOptions &options, llvm::StringRef family, llvm::StringRef mean);

// Fails with badCall if the key `k` is more columns than the band of a row has, by the keys `half`
// and `cols`. The sentence begins with the family.
llvm::Error checkBand(const SpecOptions &options, llvm::StringRef family);

// The columns within `half` of the row's diagonal column, which is floor(row cols / rows).
struct Window {
  int64_t diagonal, begin, end;
  int64_t size() const { return end - begin; }
};
Window windowOf(int64_t row, int64_t rows, int64_t cols, int64_t half);

// At the front of col there are as many block columns as there are blocks of `width` columns in
// col. Replaces them by the columns of these blocks; the last block is cut off where col ends.
void expandBlocks(std::span<int32_t> col, size_t width);

} // namespace specmv
