// Row lengths that follow a power law: the quantiles of a Pareto law p(x) ~ x^-alpha, x >= c,
// rounded down and cut off. The scale c is chosen such that the lengths have the requested sum.
#pragma once

#include "models/lab/families/build.h"

namespace specmv {

// Returns `rows` lengths of at most `max`, longest first. Their sum does not exceed `total`, and is
// close to it if the law can reach it. alpha is above 1.
std::vector<int32_t> powerLawLengths(int64_t rows, int64_t max, double alpha, int64_t total);

// Returns the lengths for the keys `rows`, `cols`, `avg`, `alpha`, `max` and `seed`, in random
// order. If `max` is not given, rows are at most `cols` long. Fails with badCall if there is no
// such law or if it misses the total; the message begins with the family.
llvm::Expected<std::vector<int32_t>> drawPowerLaw(const SpecOptions &options,
                                                  llvm::StringRef family);

} // namespace specmv
