// Reads the text of a plan that a user gives in place of a choice.
#pragma once

#include "models/plan.h"
#include "llvm/Support/Error.h"

#include <string>

namespace specmv {

// Status::badCall with the text at fault if Plan::text() of no plan of this version can have
// written it; `option` names where it was given. Whether the plan fits a matrix is not checked.
llvm::Expected<Plan> givenPlan(const std::string &text, const char *option);

} // namespace specmv
