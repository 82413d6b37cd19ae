// The output of bench --setup for one matrix in one type: JSON lines or tables, and the summary
// that later calls read again.
#pragma once

#include "runtime/cli/matrix_argument.h"
#include "runtime/lab/bench/setup_bench.h"
#include "runtime/lab/bench/setup_figures.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// What is wrong with the first product that is wrong; "" where all are right.
std::string wrongOf(const SetupBench &b);

// A line for each contender and number of products, or one with the reason why there are none.
std::string linesOf(const TypedMatrix &a, const SetupBench &b);
llvm::json::Object summaryOf(const TypedMatrix &a, const SetupBench &b);
// A table of milliseconds for each side.
std::string tableOf(const TypedMatrix &a, const SetupBench &b);

// The figures of a summary; none where it is not one of bench --setup.
std::vector<SetupFigure> figuresIn(const llvm::json::Object &summary);

} // namespace specmv::cli
