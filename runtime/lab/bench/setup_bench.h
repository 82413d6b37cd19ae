// Measures the set-ups of one matrix in one type: ours from every state, and cuSPARSE's.
#pragma once

#include "runtime/lab/bench/setup_time.h"

#include <optional>

namespace specmv {

// Our states, in the order of measurement. States that setup_states.h does not have are the
// caller's contenders.
constexpr const char *kSetupStates[] = {"first", "cold",      "pack", "new",
                                        "again", "structure", "now",  "products"};

// The states of our set-ups to measure, and the side on which the matrix is. All set-ups of
// cuSPARSE are measured.
struct SetupAsked {
  std::vector<std::string> states = {}; // from kSetupStates; empty: all
  std::optional<Side> from = {};        // nullopt: from both sides
};

struct SetupBench {
  int64_t csrBytes = 0;
  std::vector<SetupTime> times;
};

// Measures the set-ups; the request may prescribe the choice. The machine's cache is neither read
// nor written, and modules that the GPU has loaded are forgotten. Other contenders are measured
// last.
llvm::Expected<SetupBench> benchSetup(const CsrView &a, const Request &request,
                                      const Machine &machine,
                                      const std::vector<SetupContender> &others = {},
                                      const SetupAsked &asked = {});

} // namespace specmv
