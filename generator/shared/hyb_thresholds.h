// The thresholds K of HYB that are worth pricing, and its pace, for all formats that split rows at
// K.
#pragma once

#include "generator/format.h"
#include "generator/shared/pace.h"

namespace specmv {

namespace key {
inline constexpr IntegerKey kHybTail{"tail"}; // 1 if rows have entries behind the first hyb.k
} // namespace key

// If hyb.k is fixed, that value alone. Otherwise the PMF paper's K (its Algorithm 2), the K that
// moves the fewest bytes and, if it is not 0, the K of the row share.
const std::vector<int64_t> &hybThresholds(const PlanRequest &in);

// hyb.k in a format's table of parameters.
constexpr Parameter kThresholdParameter{.name = key::kHybK.name,
                                        .least = 0,
                                        .most = kMaxSlots,
                                        .isSettable = true,
                                        .tried = {0, 1, 3, 16}};

constexpr PaceRates kHybPace("hyb");

} // namespace specmv
