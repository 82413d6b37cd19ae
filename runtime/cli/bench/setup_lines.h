// Writes the output of bench --setup for one matrix in one type: JSON lines or tables, and the
// summary that later calls read again.
#pragma once

#include "runtime/cli/matrix_argument.h"
#include "runtime/lab/bench/setup_bench.h"
#include "runtime/lab/bench/setup_figures.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Describes the first product that is wrong; "" if all are right.
std::string wrongOf(const SetupBench &b);

// Returns a line for each contender and number of products, or one with the reason if there are
// none.
std::string linesOf(const TypedMatrix &a, const SetupBench &b);
llvm::json::Object summaryOf(const TypedMatrix &a, const SetupBench &b);
// Returns a table of milliseconds for each side.
std::string tableOf(const TypedMatrix &a, const SetupBench &b);

// Returns the figures of a summary; none if it is not one of bench --setup.
std::vector<SetupFigure> figuresIn(const llvm::json::Object &summary);

} // namespace specmv::cli
