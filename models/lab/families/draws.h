// Draws lengths of rows, columns, entries and numberings for generated matrices.
#pragma once

#include "models/csr.h"
#include "models/lab/families/build.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace specmv {

// --- Lengths -------------------------------------------------------------------------------------

// Row lengths for families whose rows follow a given law. The arithmetic gives the same numbers on
// every machine.

// base^exponent for numbers that are not negative, using only multiplications and square roots.
// IEEE arithmetic rounds these the same way everywhere and no compiler fuses them, whereas std::pow
// differs between libraries.
double power(double base, double exponent);

// Shuffles runs of `run` neighbours (Fisher and Yates). A shorter rest at the end keeps its place.
void shuffle(Random random, std::span<int32_t> numbers, size_t run = 1);

// Draws a number in 0 .. 2 mean + 1, all about equally likely, with the mean `mean`.
int64_t drawCount(Random &random, double mean);

// The keys `k` and `spread`: row lengths are uniform in k (1 - spread) .. k (1 + spread).
struct SpreadLengths {
  int64_t shortest, longest;
  int64_t draw(Random random) const { return shortest + random.below(longest - shortest + 1); }
};
// Fails with badCall if the longest row exceeds the key `cols`; the message begins with the family.
llvm::Expected<SpreadLengths> spreadLengths(const SpecOptions &options, llvm::StringRef family);

// Numbers whose logarithms are about normal, with the standard deviation `sigma`.
class LogNormal {
public:
  LogNormal(double mean, double sigma);
  // Draws a number, rounded.
  int64_t draw(Random random) const;

private:
  double median_, sigma_;
};

// A law of row lengths: standard deviation and longest row; both 0 if all rows have the same
// length.
struct LengthLaw {
  double spread = 0;
  int64_t longest = 0;
};

// Returns `rows` lengths with the sum `total`, the short ones first. If the law has no spread they
// are equal; otherwise they are quantiles base + (longest - base) u^t, whose base and t follow from
// mean and spread. If that base would be negative, there are only two lengths, the longest and a
// short one.
std::vector<int32_t> lengthsBy(const LengthLaw &law, int64_t rows, int64_t total);

// Returns `rows` lengths of an exponential law, the short ones first: its expected order
// statistics, which are the mean times the partial sums of 1 / (rows - i), rounded.
std::vector<int32_t> exponentialLengths(int64_t rows, double mean);

// Limits each length to most(row), then adds or subtracts 1 in some rows until the sum is `total`.
// Each length stays in 0 .. most(row); if all rows are full, the sum stays below `total`.
void meetTotal(std::span<int32_t> lengths, int64_t total, const LengthOf &most);

// --- Entries -------------------------------------------------------------------------------------

// Makes matrices from entries in any order, for families that cannot fill a matrix row by row:
// graphs whose edges are drawn at random, and patterns that are mirrored at the diagonal.

using Emit = llvm::function_ref<void(int64_t row, int64_t col)>;
// Emits the entries of sources begin .. end-1. A source is the unit for which a family draws
// entries: an edge, a node or a row. Called twice for each source, from several threads; must not
// throw.
using EmitEntries = std::function<void(int64_t begin, int64_t end, Emit emit)>;

// Builds a matrix from the entries of all sources. An entry that is emitted several times counts
// once. Fails as buildMatrix does, after all entries were emitted once and before any array but
// rowPtr is allocated. At most 2^32-1 entries may be emitted.
llvm::Expected<CsrMatrix> buildFromEntries(int64_t rows, int64_t cols, const Values &values,
                                           int64_t sources, const EmitEntries &emitEntries);

// --- Popular -------------------------------------------------------------------------------------

// Columns of unequal popularity, like web pages and words.

// The law by which the column of rank r = 1, 2, ... is drawn.
enum class Popularity {
  zipf, // about 1/r: all octaves of ranks, 1, 2 .. 3, 4 .. 7 and so on, are equally likely, and
        // so are the ranks within an octave
  squareRoot // about 1/sqrt(r): a quarter of the columns has half of the entries
};

// Draws columns of a popularity. Popular columns may be anywhere.
class PopularColumns {
public:
  PopularColumns(int64_t cols, uint64_t seed, Popularity popularity = Popularity::zipf);

  // Adds columns to the first `have` elements of out, which ascend and are distinct, until out is
  // full. All of out is then distinct and ascending. In long rows, where popular columns keep
  // repeating, the rest is drawn uniformly. Allocates no memory. out.size() is at most the number
  // of columns.
  void extend(Random &random, std::span<int32_t> out, size_t have) const;

private:
  int32_t draw(Random &random) const;

  Popularity popularity_;
  std::vector<int32_t> columnOf_; // by rank, from 0 on
};

// --- Pareto --------------------------------------------------------------------------------------

// Row lengths that follow a power law: the quantiles of a Pareto law p(x) ~ x^-alpha, x >= c,
// rounded down and cut off. The scale c is chosen such that the lengths have the requested sum.

// Returns `rows` lengths of at most `max`, longest first. Their sum does not exceed `total`, and is
// close to it if the law can reach it. alpha is above 1.
std::vector<int32_t> powerLawLengths(int64_t rows, int64_t max, double alpha, int64_t total);

// Returns the lengths for the keys `rows`, `cols`, `avg`, `alpha`, `max` and `seed`, in random
// order. If `max` is not given, rows are at most `cols` long. Fails with badCall if there is no
// such law or if it misses the total; the message begins with the family.
llvm::Expected<std::vector<int32_t>> drawPowerLaw(const SpecOptions &options,
                                                  llvm::StringRef family);

// --- Shuffled ------------------------------------------------------------------------------------

// A matrix whose rows and columns are numbered at random: `shuffled:SPEC`.

// The prefix of such a SPEC, as the name of a family. No fit uses these matrices.
constexpr const char *kShuffled = "shuffled";

// Numbers the rows of the matrix at random, and the columns alike if it is square; the same in
// every run.
CsrMatrix shuffled(const CsrMatrix &a);

} // namespace specmv
