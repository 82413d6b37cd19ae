// Builds a matrix by the plan of another matrix with the same structure, without profiling or
// choosing.
#pragma once

#include "runtime/build.h"

#include <optional>

namespace specmv {

// nullopt if the caller must take the normal way: the plan does not fit the matrix or is not
// available on this machine, or the arrays form no valid matrix (profiling then reports what is
// wrong).
llvm::Expected<std::optional<Built>> follow(const Plan &plan, const SourceMatrix &a,
                                            const Problem &problem, Machine &machine);

} // namespace specmv
