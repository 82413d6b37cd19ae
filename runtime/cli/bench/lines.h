// The output of the bench for one matrix in one type: JSON lines or a table.
#pragma once

#include "runtime/cli/matrix_argument.h"
#include "runtime/lab/bench/bench.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Name, size and type: the head of each line.
llvm::json::Object headOf(const TypedMatrix &a);
llvm::json::Object jsonOf(const SetupTimes &times);

// The first plan whose product is wrong; "" where all products are right.
std::string wrongOf(const MatrixBench &b);

// A line per format, without the summary.
std::string linesOf(const TypedMatrix &a, const MatrixBench &b);
// Without the choice's figures where its product is wrong.
llvm::json::Object summaryOf(const TypedMatrix &a, const MatrixBench &b);
std::string tableOf(const TypedMatrix &a, const MatrixBench &b);

} // namespace specmv::cli
