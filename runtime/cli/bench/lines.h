// The output of the bench for one matrix in one type: JSON lines or a table.
#pragma once

#include "runtime/cli/matrix_argument.h"
#include "runtime/lab/bench/bench.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Returns name, size and type: the head of each line.
llvm::json::Object headOf(const TypedMatrix &a);
llvm::json::Object jsonOf(const SetupTimes &times);

// Names the first plan whose product is wrong; "" if all products are right.
std::string wrongOf(const MatrixBench &b);

// Returns a line per format, without the summary.
std::string linesOf(const TypedMatrix &a, const MatrixBench &b);
// Returns the summary, without the choice's figures if its product is wrong.
llvm::json::Object summaryOf(const TypedMatrix &a, const MatrixBench &b);
std::string tableOf(const TypedMatrix &a, const MatrixBench &b);

} // namespace specmv::cli
