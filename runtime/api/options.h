// The options of plans, as callers of any version pass them.
#pragma once

#include "runtime/include/specmv.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace specmv {

// Copies an options structure of any version into this version's; missing fields are 0.
llvm::Expected<specmvPlanOptions_t> completeOptions(const specmvPlanOptions_t *given);

// Splits a list at its commas into names, which may stand between blanks. An empty name stays in it
// and is refused later.
std::vector<std::string> namesOf(const char *list);

} // namespace specmv
