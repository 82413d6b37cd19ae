// Our contender that starts at once (SPECMV_START_NOW) in a measurement of set-ups.
#pragma once

#include "runtime/lab/bench/setup_time.h"

namespace specmv::cli {

// From an empty cache, with nothing loaded: the first product is cuSPARSE's, while kernels are
// compiled beside it. To be measured after others have opened cuSPARSE.
SetupContender startContender(const Machine &machine, const Request &request);

} // namespace specmv::cli
