// Makes our contender that starts at once (SPECMV_START_NOW), for measuring set-ups.
#pragma once

#include "runtime/lab/bench/setup_time.h"

namespace specmv::cli {

// Starts from an empty cache with nothing loaded: the first product is cuSPARSE's, while kernels
// are compiled beside it. Measure it after others have opened cuSPARSE.
SetupContender startContender(const Machine &machine, const Request &request);

} // namespace specmv::cli
