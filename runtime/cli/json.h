// Pieces of JSON that several verbs write.
#pragma once

#include "models/csr.h"
#include "models/plan.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// {"name": ..., "rows": ..., "cols": ..., "nnz": ...}
llvm::json::Object jsonOf(const CsrMatrix &matrix);
// The parameters of a plan by their names.
llvm::json::Object paramsOf(const Plan &plan);
// {"format": ..., "params": {...}}
llvm::json::Object jsonOf(const Plan &plan);

} // namespace specmv::cli
