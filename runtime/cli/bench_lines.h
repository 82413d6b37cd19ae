// What the bench tells of one matrix in one type: JSON lines or a table.
#pragma once

#include "runtime/bench.h"
#include "runtime/cli/matrix_argument.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// A line per format, without the summary.
std::string linesOf(const TypedMatrix &a, const MatrixBench &b);
llvm::json::Object summaryOf(const TypedMatrix &a, const MatrixBench &b);
std::string tableOf(const TypedMatrix &a, const MatrixBench &b);

} // namespace specmv::cli
