// Writes plans, and why they were chosen, as JSON, for the tool and for the C API's reports.
#pragma once

#include "models/base/json_text.h"
#include "models/plan.h"
#include "runtime/explain/explain.h"

#include <string>

namespace specmv {

// Returns the parameters of a plan by name.
JsonMembers paramsOf(const Plan &plan);
// {"format": ..., "params": {...}}
JsonMembers jsonOf(const Plan &plan);

// Describes whose rates a GPU model uses: {"from": "h200", "lacking": [], "scaled": true}. "from"
// is null if they are its own; "lacking" names those whose defaults are used. Null if all are its
// own.
JsonText ratesJson(const GpuModel &gpu);

// Returns {"sentence": ..., "ofCsrBytes": ..., "terms": {...}, "runnerUp": {...}, "cusparse":
// {...}, "paysAfter": ..., "paysAfterCompiling": ...}; null for unknown values and for "never".
JsonMembers whyJson(const Explanation &e, const std::string &sentence);

} // namespace specmv
