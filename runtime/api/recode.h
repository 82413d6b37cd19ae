// Gives new values to a plan that stores them in a coding (generator/coding/): values that fit it
// are coded anew. For others the plan becomes one with plain values, whose other arrays, format and
// numbers stay.
#pragma once

#include "runtime/api/plan.h"

namespace specmv {

// Returns true if the values of these products have a coding that other values may not fit.
bool isCoded(const PlanProducts &products);

// Replaces the values of the plan's own products, which are coded in the order of the entries.
// Reads the new values before it returns. On failure the plan is as before.
llvm::Error recode(ApiPlan &plan, const void *val, StreamHandle stream);

// Makes the text of a plan that runs on the host say that values are plain, if these do not fit its
// coding.
llvm::Error recodeOnHost(PlanProducts &own, const void *val);

// Makes the plan one with plain values, whose kernels are found or compiled, and stores these
// values in the order of the stream. Fused steps and streams follow. Arrays and kernels that a
// graph may contain stay until the plan is destroyed. On failure the plan is as before.
llvm::Error becomePlain(ApiPlan &plan, const void *val, StreamHandle stream, Machine &machine);

} // namespace specmv
