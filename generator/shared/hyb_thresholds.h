// The thresholds K of HYB that are worth pricing, for all formats that split rows at K.
#pragma once

#include "generator/format.h"

namespace specmv {

// If hyb.k is fixed, that value alone. Otherwise the PMF paper's K (its Algorithm 2), the K that
// moves the fewest bytes and, if it is not 0, the K of the row share.
const std::vector<int64_t> &hybThresholds(const PlanRequest &in);

// The automatic K of the libraries that the papers compare with (Bell and Garland, the strips
// paper's reference 1): the largest that at least max(4096, N / 3) rows reach, else 0.
int64_t hybThresholdOfRowShare(const SparsityProfile &p);

// hyb.k in a format's table of parameters.
constexpr Parameter kThresholdParameter{
    .name = "hyb.k", .least = 0, .most = kMaxSlots, .isSettable = true, .tried = {0, 1, 3, 16}};

} // namespace specmv
