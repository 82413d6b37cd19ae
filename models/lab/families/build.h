// The parts that all families share: the declarations of their generators, and the loop that fills
// a matrix row by row.
#pragma once

#include "models/base/numbers.h"
#include "models/csr.h"
#include "models/lab/families/spec.h"

#include <functional>
#include <limits>
#include <span>

namespace specmv {

// The largest number of rows, columns and entries: the indices of a CsrMatrix have 32 bits.
constexpr int64_t kMaxIndex = std::numeric_limits<int32_t>::max();

// One generator per family; families.cpp describes the matrices.
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
llvm::Expected<CsrMatrix> generateSpin(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateTransfer(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateKkt(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateGenes(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateText(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateKnn(const SpecOptions &options);
llvm::Expected<CsrMatrix> generatePrefer(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateKron(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateRoad(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateQueue(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateFactor(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateMolecule(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateLattice(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateRowlengths(const SpecOptions &options);
llvm::Expected<CsrMatrix> generateTwin(const SpecOptions &options);

// The number of entries of a row. Called from several threads and more than once per row.
using LengthOf = std::function<int64_t(int64_t row)>;
// Writes a row: columns ascending, none repeated. Called from several threads. It must not throw,
// so it must not allocate memory.
using FillRow = std::function<void(int64_t row, std::span<int32_t> col, std::span<double> val)>;
using FillColumns = std::function<void(int64_t row, std::span<int32_t> col)>;

// Builds a matrix from its rows. Before it allocates memory, fails with badCall if there are more
// than 2^31-1 entries, and with missing if the entries do not fit into the available memory of this
// machine. A matrix that is far too large fails after a sample of its rows, others after all rows
// have been counted.
llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const LengthOf &lengthOf,
                                      const FillRow &fillRow);

uint64_t seedOf(const SpecOptions &options);

// The keys `values` and `seed`.
struct Values {
  uint64_t seed = 0;
  bool integers = false;
};
Values valuesOf(const SpecOptions &options);

// Draws the values of a row; see Random for the values `random` and `integer`.
void drawValues(Random random, bool integers, std::span<double> val);

// Builds a matrix from the columns of its rows.
llvm::Expected<CsrMatrix> buildMatrix(int64_t rows, int64_t cols, const Values &values,
                                      const LengthOf &lengthOf, const FillColumns &fillColumns);

// Takes everything but the columns from the keys `rows`, `cols`, `values` and `seed`.
llvm::Expected<CsrMatrix> buildMatrix(const SpecOptions &options, const LengthOf &lengthOf,
                                      const FillColumns &fillColumns);

// Fails if a matrix of this size cannot have 32-bit indices (badCall) or needs more than `memory`
// bytes (missing). `about` is printed before the number of entries if that is an estimate.
llvm::Error checkFits(int64_t rows, int64_t cols, int64_t nnz, int64_t memory,
                      const char *about = "");

// Fails if the tables of so many rows need more memory, whatever their entries need.
llvm::Error checkRowsFit(int64_t rows, int64_t cols, int64_t memory);

// Does the same check as checkFits() for `rows` times the mean length of a row before any table of
// rows is made. `mean` is the key of that mean. The message begins with the family.
llvm::Error checkMean(const SpecOptions &options, llvm::StringRef family, llvm::StringRef mean);

// Fails with badCall if the key `k` exceeds the number of columns in a row's band, which the keys
// `half` and `cols` give. The message begins with the family.
llvm::Error checkBand(const SpecOptions &options, llvm::StringRef family);

// The columns within `half` of the row's diagonal column, which is floor(row cols / rows).
struct Window {
  int64_t diagonal, begin, end;
  int64_t size() const { return end - begin; }
};
Window windowOf(int64_t row, int64_t rows, int64_t cols, int64_t half);

// The front of col holds one block column for each block of `width` columns in col. Replaces them
// by the columns of these blocks; the last block is cut off at the end of col.
void expandBlocks(std::span<int32_t> col, size_t width);

} // namespace specmv
