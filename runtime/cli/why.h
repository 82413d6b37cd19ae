// Plans, problems and the reasons of a choice as text, for analyze and run.
#pragma once

#include "models/plan.h"
#include "runtime/explain/explain.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/plan/specialize.h"

#include <string>

namespace specmv::cli {

// --- Plan text -----------------------------------------------------------------------------------

// Formats plans and problems for people.

// Returns plan.text() with long lists shortened: "[-1000,-999,-998,... 250 more ...,1000]".
std::string planText(const Plan &plan);
std::string planText(const std::string &text);
// Returns ", 8 vectors"; "" for one vector.
std::string vectorsText(int64_t vectors);

// --- Why -----------------------------------------------------------------------------------------

// Explains why a plan was chosen, for analyze and run.

// The times of a plan's product and of cuSPARSE's best, if both were measured.
struct MeasuredPair {
  double us = 0;
  std::optional<CusparseTime> cusparse = {};
};
// Explains the choice that `analyze` shows. Candidates before it do not fit the matrix.
Explanation explanationOf(const Analyzed &seen, const Fit &fit, const Request &request,
                          const Machine &machine, const MeasuredPair &measured = {});
// Explains the choice that `run` made; `us` is its product's time on the GPU (0 on the host).
Explanation explanationOf(const CsrView &a, const Request &request, const Machine &machine,
                          const Specialized &s, double us, const Yardstick &cusparse);

// Returns a clause if a profile cannot pay for so few products, so that a program gets another plan
// than the tool shows; else "".
std::string fewProductsText(const SetupSize &size, const Request &request, const Machine &machine);

// Returns the lines of `analyze --why`, and the line of `run`.
std::string whyLines(const Explanation &e);
std::string whyLine(const Explanation &e);

} // namespace specmv::cli
