// cuSPARSE's contenders in a measurement of set-ups: each algorithm with its own buffer,
// preprocessing and conversion.
#pragma once

#include "models/profile/profile.h"
#include "runtime/lab/bench/setup_time.h"

namespace specmv {

// The profile tells the size of blocks that BSR gets, as a gift.
llvm::Expected<std::vector<SetupContender>>
cusparseContenders(const SparsityProfile &profile, const Problem &problem, const Machine &machine);

} // namespace specmv
