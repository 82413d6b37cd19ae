// The thresholds K of HYB that are worth pricing, for all formats that split rows there.
#pragma once

#include "generator/format.h"

namespace specmv {

// hyb.k where it is fixed, else the PMF paper's (Algorithm 2) and the one that moves the fewest
// bytes.
std::vector<int64_t> hybThresholds(const PlanRequest &in);

} // namespace specmv
