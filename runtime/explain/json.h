// Plans, and why they were chosen, as JSON: for the tool and for the C API's reports.
#pragma once

#include "models/plan.h"
#include "runtime/explain/explain.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace specmv {

// The parameters of a plan by their names.
llvm::json::Object paramsOf(const Plan &plan);
// {"format": ..., "params": {...}}
llvm::json::Object jsonOf(const Plan &plan);

// Whose rates a GPU model has: {"from": "h200", "scaled": true}; null if they are its own.
llvm::json::Value ratesJson(const GpuModel &gpu);

// {"sentence": ..., "ofCsrBytes": ..., "terms": {...}, "runnerUp": {...}, "cusparse": {...},
// "paysAfter": ..., "paysAfterCompiling": ...}; null for what is not known, or for never.
llvm::json::Object whyJson(const Explanation &e, const std::string &sentence);

} // namespace specmv
