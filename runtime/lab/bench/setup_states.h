// Makes our contenders for measuring set-ups: one for each state of the process and of the cache
// that a set-up may begin with.
#pragma once

#include "runtime/lab/bench/setup_time.h"

namespace specmv {

// Measure them in their order, since each finds the result of those before it: the first fill the
// empty cache. They use a cache of their own, a temporary directory that is removed with the last
// of them. To add a state, add a line to the table in setup_states.cpp.
llvm::Expected<std::vector<SetupContender>> ownContenders(const Machine &machine,
                                                          const Request &request);

} // namespace specmv
