// Explains a choice in words and as JSON.
#pragma once

#include "models/base/json_text.h"
#include "models/plan.h"
#include "runtime/explain/explain.h"

#include <string>

namespace specmv {

// --- Sentence ------------------------------------------------------------------------------------

// Explains a choice in words.

// Says why the plan was chosen, in one sentence that names its format first.
std::string whySentence(const Explanation &e);

// Say how much the plan gains over cuSPARSE's best format, and when its set-up has paid.
std::string gainSentence(const Explanation &e);
std::string paysSentence(const Explanation &e);

// Returns all three briefly, on one line.
std::string shortSentence(const Explanation &e);

// --- Json ----------------------------------------------------------------------------------------

// Writes plans, and why they were chosen, as JSON, for the tool and for the C API's reports.

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
