// Describes the better plan whose kernel is not available (Choice::better), in clauses of
// sentences.
#pragma once

#include "runtime/explain/explain.h"

#include <string>

namespace specmv {

// Names the plan that a fallback replaces, with the coding: "dia with values=diagonals,
// predicted 5.4 us,".
std::string replacedText(const BetterPlan &better);

// Says that the choice was made because its kernel is available, and what the other plan would
// take.
std::string atHandText(const Explanation &e);

} // namespace specmv
