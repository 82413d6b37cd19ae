// A plan, and what it is made for, as people read it.
#pragma once

#include "models/plan.h"

#include <string>

namespace specmv::cli {

// plan.text() with long lists shortened: "[-1000,-999,-998,... 250 more ...,1000]".
std::string planText(const Plan &plan);
std::string planText(const std::string &text);
// ", 8 vectors"; "" of one.
std::string vectorsText(int64_t vectors);

} // namespace specmv::cli
