// The options of plans, as callers of any version pass them.
#pragma once

#include "runtime/include/specmv.h"
#include "llvm/Support/Error.h"

namespace specmv {

// Copies an options structure of any version into this version's; missing fields are 0.
llvm::Expected<specmvPlanOptions_t> completeOptions(const specmvPlanOptions_t *given);

} // namespace specmv
