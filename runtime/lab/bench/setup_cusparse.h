// Makes cuSPARSE's contenders for measuring set-ups: each algorithm with its own buffer,
// preprocessing and conversion.
#pragma once

#include "models/profile/profile.h"
#include "runtime/lab/bench/setup_time.h"

namespace specmv {

// The profile gives BSR the size of its blocks, at no cost to it.
llvm::Expected<std::vector<SetupContender>>
cusparseContenders(const SparsityProfile &profile, const Problem &problem, const Machine &machine);

} // namespace specmv
