// Makes our contenders that know the number of products (expectedProducts), for measuring set-ups.
#pragma once

#include "runtime/lab/bench/setup_time.h"

namespace specmv::cli {

// Returns one contender for each of kProductCounts but 1. They set up as the C API does, with
// arrays that outlive the plan, when all kernels that the choice could need are loaded and the
// choice is known. Their cache is a temporary directory.
llvm::Expected<std::vector<SetupContender>> productsContenders(const Machine &machine,
                                                               const Request &request);

} // namespace specmv::cli
