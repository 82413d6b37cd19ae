// Lists the plans whose kernels go into the standard pack. Most kernels depend on a few numbers of
// a plan and not on the matrix, so the pack also has kernels for unknown matrices.
#pragma once

#include "models/plan.h"
#include "models/problem.h"

#include <string>
#include <vector>

namespace specmv {

// Expands a pattern: {1,4,8..10} is one of 1, 4, 8, 9, 10. Several braces vary independently, the
// last one fastest. Numbers are not negative.
std::vector<std::string> alternatives(const std::string &pattern);

std::vector<Plan> standardPlans();

// A few plans for problems with other vectors, so that their first plan needs no compiler either.
std::vector<Plan> plansOfOtherProblems();
std::vector<Problem> otherProblems(ValueType type);

} // namespace specmv
