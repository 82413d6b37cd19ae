// Why a plan was chosen, as analyze and run write it.
#pragma once

#include "runtime/explain/explain.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/specialize.h"

#include <string>

namespace specmv::cli {

// Of the choice that `analyze` shows: candidates before it do not fit the matrix.
Explanation explanationOf(const Analyzed &seen, const Fit &fit, const Request &request,
                          const Machine &machine);
// Of the choice that `run` made, whose product took so long on the GPU (0 on the host).
Explanation explanationOf(const CsrView &a, const Request &request, const Machine &machine,
                          const Specialized &s, double us, const Yardstick &cusparse);

// The lines of `analyze --why`, and the one of `run`.
std::string whyLines(const Explanation &e);
std::string whyLine(const Explanation &e);

} // namespace specmv::cli
