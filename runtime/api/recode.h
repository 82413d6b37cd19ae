// Gives new values to a plan that stores them in a coding (generator/coding/): values that fit it
// are coded anew. For others the plan becomes one with plain values, whose other arrays, format and
// numbers stay.
#pragma once

#include "runtime/api/plan.h"
#include "runtime/api/recoded.h"

namespace specmv {

// Returns true if the values of these products have a coding that other values may not fit.
bool isCoded(const PlanProducts &products);

// Replaces the values of the plan's own products, which are coded. Waits for the stream. On failure
// the plan is as before, or its values are mixed.
llvm::Error recode(ApiPlan &plan, const void *val, StreamHandle stream);

// Makes the text of a plan that runs on the host say that values are plain, if these do not fit its
// coding, and logs that to the context.
void recodeOnHost(PlanProducts &own, const void *val, ContextState &context);

// Makes the plan one with these plain values, whose kernels are found or compiled. Fused steps and
// streams follow. Arrays and kernels that a graph may contain stay until the plan is destroyed.
// Later values go to the slots of the entries of `matrix`; null: entries keep their order. On
// failure the plan is as before.
llvm::Error becomePlain(ApiPlan &plan, PlainValues values, const SourceMatrix *matrix,
                        StreamHandle stream, Machine &machine);

} // namespace specmv
