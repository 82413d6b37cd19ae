// A row of the tables of rates. A rate is a number of a GPU's model by which products are priced.
// Its row has its meaning, its default for models that lack it, and how a fit may change it. The
// row is in the file that reads the rate; allRates() (generator/rate_table.h) collects all rows.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace specmv {

// Hashes a rate's name (FNV-1a), or the rest of one whose first part has a hash.
constexpr uint64_t rateHash(std::string_view name, uint64_t hash = 0xcbf29ce484222325) {
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

enum class FittedBy : uint8_t {
  slope,   // from the derivatives of predicted times
  caution, // from the errors of predictions, since no time depends on it
           // (runtime/lab/evaluate/score.h)
  nothing,
};

// The limits within which a fit may change a rate.
struct RateFit {
  FittedBy by = FittedBy::slope;
  double sigma = 0.7; // expected change: standard deviation of the logarithm
  double factor = 3;  // largest change, up or down
  double least = std::numeric_limits<double>::min(), most = std::numeric_limits<double>::max();
};

// Times of a few instructions, bytes and shares of a cache may change by an order of magnitude.
constexpr RateFit kWideFit{.factor = 10};
// A kernel that only reads is faster than a copy, but not by more (measured by curves: 1.06 on an
// H200).
constexpr RateFit kEfficiencyFit{.sigma = 0.15, .most = 1.15};
constexpr RateFit kGathersFit{.sigma = 0.15};
// The least exponent is 1, with which times add up, that is, do not overlap at all.
constexpr RateFit kOverlapFit{.sigma = 0.25, .least = 1};
constexpr RateFit kLatencyFit{.sigma = 0.4};
constexpr RateFit kLatencyF64Fit{.sigma = 0.2};
constexpr RateFit kShareFit{.factor = 10, .most = 1};
constexpr RateFit kCautionFit{.by = FittedBy::caution};
// Numbers of a data sheet are not fitted. Passes are not fitted either: they are rounded to whole
// numbers, so times change in steps. The time of a pass is fitted by chainNs and by the latency of
// each pace.
constexpr RateFit kNoFit{.by = FittedBy::nothing};

struct Rate {
  const char *name = ""; // "csr5.tilePasses"; in a model's JSON the group "csr5" has "tilePasses"
  const char *meaning;   // a clause for messages, with the unit
  double byDefault;      // value if the model lacks the rate and no measured GPU lends it
  RateFit fit = {};
  uint64_t hash = rateHash(name); // known when the program is compiled
};

} // namespace specmv
