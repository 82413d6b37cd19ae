// A row of the tables of rates: a number of a GPU's model by which products are priced, what it
// means, what it is where the model lacks it, and how a fit may move it. A row stands in the file
// that reads the rate; allRates() (generator/rate_table.h) collects them.
#pragma once

#include <cstdint>
#include <limits>

namespace specmv {

enum class FittedBy : uint8_t {
  slope,   // by how predicted times change with it
  caution, // by errors: no time depends on it (runtime/lab/evaluate/cautions.h)
  nothing,
};

// How far a fit may move a rate.
struct RateFit {
  FittedBy by = FittedBy::slope;
  double sigma = 0.7; // its expected distance, as a standard deviation of the logarithm
  double factor = 3;  // at most, up or down
  double least = std::numeric_limits<double>::min(), most = std::numeric_limits<double>::max();
};

// Times of a few instructions, bytes and shares of a cache may be another order of magnitude.
constexpr RateFit kWideFit{.factor = 10};
// A kernel that only reads is faster than a copy, but not by more (measured by curves: 1.06 on an
// H200).
constexpr RateFit kEfficiencyFit{.sigma = 0.15, .most = 1.15};
constexpr RateFit kGathersFit{.sigma = 0.15};
// Times that are added do not overlap at all, and nothing is slower than that.
constexpr RateFit kOverlapFit{.sigma = 0.25, .least = 1};
constexpr RateFit kLatencyFit{.sigma = 0.4};
constexpr RateFit kCautionFit{.by = FittedBy::caution};
// Numbers of a data sheet do not move. Nor do passes: they are rounded to whole numbers, so they
// have steps instead of slopes; chainNs and the latency of each pace fit the time of a pass.
constexpr RateFit kNoFit{.by = FittedBy::nothing};

struct Rate {
  const char *name;    // "csr5.tilePasses"; in a model's JSON the group "csr5" has "tilePasses"
  const char *meaning; // as a clause for people, with its unit
  double byDefault;    // for a model that lacks it, if no measured GPU lends it
  RateFit fit = {};
};

} // namespace specmv
