// Our contenders in a measurement of set-ups: one for each state of the process and of the cache
// that a set-up may begin with.
#pragma once

#include "runtime/lab/bench/setup_time.h"

namespace specmv {

// To be measured in their order, since each finds what those before it left: first the empty cache
// is filled. They use a cache of their own, a temporary directory that goes with the last of them.
// A new state is a new line of the table in setup_states.cpp.
llvm::Expected<std::vector<SetupContender>> ownContenders(const Machine &machine,
                                                          const Request &request);

} // namespace specmv
