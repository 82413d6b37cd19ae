// Measures the set-ups of one matrix in one type: ours from every state, and cuSPARSE's.
#pragma once

#include "runtime/measure/setup_time.h"

namespace specmv {

struct SetupBench {
  int64_t csrBytes = 0;
  std::vector<SetupTime> times;
};

// The choice may be prescribed by the request. Neither reads nor writes the machine's cache; what
// the GPU has loaded is forgotten. Other contenders are measured last.
llvm::Expected<SetupBench> benchSetup(const CsrView &a, const Request &request,
                                      const Machine &machine,
                                      const std::vector<SetupContender> &others = {});

} // namespace specmv
