// Set-ups in the bench: the contenders that only it has, and their lines.
#pragma once

#include "runtime/cli/matrix_argument.h"
#include "runtime/lab/bench/setup_time.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// --- Setup products ------------------------------------------------------------------------------

// Makes our contenders that know the number of products (expectedProducts), for measuring set-ups.

// Returns one contender for each of kProductCounts but 1. They set up as the C API does, with
// arrays that outlive the plan, when all kernels that the choice could need are loaded and the
// choice is known. Their cache is a temporary directory.
llvm::Expected<std::vector<SetupContender>> productsContenders(const Machine &machine,
                                                               const Request &request);

// --- Setup start ---------------------------------------------------------------------------------

// Makes our contender that starts at once (SPECMV_START_NOW), for measuring set-ups.

// Starts from an empty cache with nothing loaded: the first product is cuSPARSE's, while kernels
// are compiled beside it. Measure it after others have opened cuSPARSE.
SetupContender startContender(const Machine &machine, const Request &request);

// --- Setup lines ---------------------------------------------------------------------------------

// Writes the output of bench --setup for one matrix in one type: JSON lines or tables, and the
// summary that later calls read again.

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
