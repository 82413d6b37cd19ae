// Formats plans and problems for people.
#pragma once

#include "models/plan.h"

#include <string>

namespace specmv::cli {

// Returns plan.text() with long lists shortened: "[-1000,-999,-998,... 250 more ...,1000]".
std::string planText(const Plan &plan);
std::string planText(const std::string &text);
// Returns ", 8 vectors"; "" for one vector.
std::string vectorsText(int64_t vectors);

} // namespace specmv::cli
