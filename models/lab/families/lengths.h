// Row lengths for families whose rows follow a given law. The arithmetic gives the same numbers on
// every machine.
#pragma once

#include "models/lab/families/build.h"

#include <vector>

namespace specmv {

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

} // namespace specmv
