// The options of plans, as callers of any version pass them.
#pragma once

#include "runtime/include/specmv.h"
#include "llvm/Support/Error.h"

namespace specmv {

// Copies options of any version into this version's structure; fields that are missing are 0.
llvm::Expected<specmvPlanOptions_t> completeOptions(const specmvPlanOptions_t *given);

} // namespace specmv
