// Builds a matrix by the plan of another one with the same structure, without profile and choice.
#pragma once

#include "runtime/build.h"

#include <optional>

namespace specmv {

// nullopt if the normal way must be taken: the plan does not fit the matrix or cannot be had on
// this machine, or the arrays form no matrix, of which the profile says what is wrong.
llvm::Expected<std::optional<Built>> follow(const Plan &plan, const SourceMatrix &a,
                                            const Problem &problem, Machine &machine);

} // namespace specmv
