// The plans for whose kernels the standard pack is made. Most kernels depend on few numbers of a
// plan and not on the matrix, so a table of these numbers serves matrices that nobody has seen.
#pragma once

#include "models/plan.h"

#include <string>
#include <vector>

namespace specmv {

// The texts that a pattern stands for: {1,4,8..10} is one of 1, 4, 8, 9, 10, each of several braces
// on its own, the last one changing first. Numbers are not negative.
std::vector<std::string> alternatives(const std::string &pattern);

std::vector<Plan> standardPlans();

} // namespace specmv
