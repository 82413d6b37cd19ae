// Row lengths for the families whose rows follow a given law. The arithmetic gives the same numbers
// on every machine.
#pragma once

#include "models/lab/families/build.h"

#include <vector>

namespace specmv {

// base^exponent, both not negative, by multiplications and square roots only: IEEE arithmetic
// rounds these in the same way everywhere and no compiler fuses them, while std::pow differs
// between libraries.
double power(double base, double exponent);

// Shuffles runs of `run` neighbours (Fisher and Yates); a shorter rest at the end stays there.
void shuffle(Random random, std::span<int32_t> numbers, size_t run = 1);

// A number of 0 .. 2 mean + 1, all about equally likely, whose mean is `mean`.
int64_t drawCount(Random &random, double mean);

// The keys `k` and `spread`: row lengths uniform in k (1 - spread) .. k (1 + spread).
struct SpreadLengths {
  int64_t shortest, longest;
  int64_t draw(Random random) const { return shortest + random.below(longest - shortest + 1); }
};
// Fails with badCall if the longest exceeds the key `cols`; the sentence begins with the family.
llvm::Expected<SpreadLengths> spreadLengths(const SpecOptions &options, llvm::StringRef family);

// A law of row lengths: standard deviation and longest row; both 0 if all rows are equally long.
struct LengthLaw {
  double spread = 0;
  int64_t longest = 0;
};

// `rows` lengths with the sum `total`, the short ones first. If the law has no spread they are
// equal, otherwise they are quantiles base + (longest - base) u^t, whose base and t follow from
// mean and spread. If that base would be negative, there are two lengths only, the longest and a
// short one.
std::vector<int32_t> lengthsBy(const LengthLaw &law, int64_t rows, int64_t total);

// `rows` lengths of an exponential law, the short ones first: its expected order statistics, which
// are the mean times the partial sums of 1 / (rows - i), rounded.
std::vector<int32_t> exponentialLengths(int64_t rows, double mean);

// Limits each length to most(row), then adds 1 to some or subtracts 1 from some until their sum is
// `total`. Each stays in 0 .. most(row); if all rows are full, the sum stays below `total`.
void meetTotal(std::span<int32_t> lengths, int64_t total, const LengthOf &most);

} // namespace specmv
