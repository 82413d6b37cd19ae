// Measures the set-ups of one matrix in one type: ours from every state, and cuSPARSE's.
#pragma once

#include "runtime/lab/bench/setup_time.h"

#include <optional>

namespace specmv {

// Our states, in the order in which they are measured. Those that setup_states.h does not have are
// the caller's contenders.
constexpr const char *kSetupStates[] = {"first", "cold",      "pack", "new",
                                        "again", "structure", "now",  "products"};

// What is measured of ours, and from where; of cuSPARSE it is all.
struct SetupAsked {
  std::vector<std::string> states = {}; // of kSetupStates; empty: all
  std::optional<Side> from = {};        // nullopt: from both sides
};

struct SetupBench {
  int64_t csrBytes = 0;
  std::vector<SetupTime> times;
};

// The choice may be prescribed by the request. Neither reads nor writes the machine's cache; what
// the GPU has loaded is forgotten. Other contenders are measured last.
llvm::Expected<SetupBench> benchSetup(const CsrView &a, const Request &request,
                                      const Machine &machine,
                                      const std::vector<SetupContender> &others = {},
                                      const SetupAsked &asked = {});

} // namespace specmv
