// Measures what a page about a matrix shows.
#pragma once

#include "runtime/cli/analyze/analysis.h"
#include "runtime/lab/bench/bench.h"

namespace specmv::cli {

// Times the choice, the best plan of every other format and the algorithms of cuSPARSE on the
// machine's GPU, and checks each product once, so that a page takes seconds. With Rigor::measure or
// more, measures all plans as thoroughly as bench does. A wrong product is an error that names the
// matrix and the plan.
llvm::Expected<MatrixBench> measureForPage(const CsrView &a, const std::string &matrix,
                                           const Request &request, Machine &machine,
                                           const PlansFound &found);

} // namespace specmv::cli
