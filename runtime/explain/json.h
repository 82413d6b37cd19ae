// Plans, and why they were chosen, as JSON: for the tool and for the C API's reports.
#pragma once

#include "models/base/json_text.h"
#include "models/plan.h"
#include "runtime/explain/explain.h"

#include <string>

namespace specmv {

// The parameters of a plan by their names.
JsonMembers paramsOf(const Plan &plan);
// {"format": ..., "params": {...}}
JsonMembers jsonOf(const Plan &plan);

// Whose rates a GPU model has: {"from": "h200", "scaled": true}; null if they are its own.
JsonText ratesJson(const GpuModel &gpu);

// {"sentence": ..., "ofCsrBytes": ..., "terms": {...}, "runnerUp": {...}, "cusparse": {...},
// "paysAfter": ..., "paysAfterCompiling": ...}; null for what is not known, or for never.
JsonMembers whyJson(const Explanation &e, const std::string &sentence);

} // namespace specmv
