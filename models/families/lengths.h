// Row lengths for the families that are told how long their rows are, from arithmetic that gives
// the same numbers on every machine.
#pragma once

#include "models/families/build.h"

#include <vector>

namespace specmv {

// base^exponent, both non-negative, from multiplications and square roots alone: IEEE rounds these
// alike everywhere and no compiler fuses them, whereas std::pow differs between libraries.
double power(double base, double exponent);

// Fisher and Yates, on runs of `run` neighbours; what is left at the end stays there.
void shuffle(Random random, std::span<int32_t> numbers, size_t run = 1);

// What is known of row lengths: standard deviation and longest row; 0 where all are equal.
struct LengthLaw {
  double spread = 0;
  int64_t longest = 0;
};

// `rows` lengths that sum to `total`, the short ones first: equal where the law has no spread, else
// quantiles base + (longest - base) u^t, whose base and t follow from mean and spread; where that
// base would be negative, two lengths only, the longest and a short one.
std::vector<int32_t> lengthsBy(const LengthLaw &law, int64_t rows, int64_t total);

// `rows` lengths of an exponential law, the short ones first: its expected order statistics, mean
// times the sums of 1 / (rows - i), rounded.
std::vector<int32_t> exponentialLengths(int64_t rows, double mean);

// Cuts the lengths to most(row), then adds or takes one here and there until they sum to `total`,
// 0 .. most(row) each. The sum stays short where all the rows are full.
void meetTotal(std::span<int32_t> lengths, int64_t total, const LengthOf &most);

} // namespace specmv
