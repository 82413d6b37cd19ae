// Makes the products that run before the plan is made (SPECMV_START_NOW). It has a file of its own
// since the bench makes them too.
#pragma once

#include "runtime/api/setup_task.h"

namespace specmv {

// Makes the products that can run at once: on the GPU by the CSR arrays in place, on the host by a
// copy of them. Returns nullopt if there are none; the caller must then wait for the set-up.
llvm::Expected<std::optional<PlanProducts>> firstProducts(const SetupTask &task,
                                                          const SourceMatrix &a, Machine &machine);

} // namespace specmv
