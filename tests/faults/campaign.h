// Utilities for the tests of faults: failing calls, and how many of them are tried.
#pragma once

#include "tests/faults/fail_calls.h"

#include <cstdlib>

namespace specmv::testing {

constexpr long kAllCalls = 1L << 60;

// With SPECMV_FAULTS_CAMPAIGN=1, every call fails in turn, which takes minutes; otherwise only a
// sample.
inline bool isLongCampaign() { return std::getenv("SPECMV_FAULTS_CAMPAIGN") != nullptr; }

} // namespace specmv::testing
