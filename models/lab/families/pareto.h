// Row lengths that follow a power law: the quantiles of a Pareto law p(x) ~ x^-alpha, x >= c,
// rounded down and cut off. The scale c is chosen so that they have the sum that was asked for.
#pragma once

#include "models/lab/families/build.h"

namespace specmv {

// `rows` lengths of at most `max`, longest first. Their sum is not above `total`, and about it
// where the law can reach it. alpha is above 1.
std::vector<int32_t> powerLawLengths(int64_t rows, int64_t max, double alpha, int64_t total);

// The keys `rows`, `cols`, `avg`, `alpha`, `max` and `seed`: the lengths in a random order. Without
// `max` given, rows are not longer than `cols`. Fails with badCall if there is no such law or if it
// misses the total; the sentence begins with the family.
llvm::Expected<std::vector<int32_t>> drawPowerLaw(const SpecOptions &options,
                                                  llvm::StringRef family);

} // namespace specmv
