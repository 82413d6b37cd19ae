// Fits the models of strips (Guo and Wang 2012) and statistics (Wang, Gu and Li 2017) to the times
// of benchmark matrices, by ordinary least squares.
#pragma once

#include "models/predict/strips/kernels.h"
#include "llvm/Support/Error.h"

namespace specmv {

// The time of the benchmark matrix with I strips and P_NZ entries per row.
struct BenchmarkTime {
  int64_t i = 0, entriesOfRow = 0;
  double us = 0;
};

// All times of one kernel, one law of row lengths and one value type, one per matrix.
struct BenchmarkTimes {
  StripsKernel kernel = StripsKernel::csr;
  RowLaw law = RowLaw::fixed;
  ValueType type = ValueType::f64;
  std::vector<BenchmarkTime> times;
};

// Chooses the lines to fit: those that the table of kernels names if each has two benchmark
// matrices, otherwise the longest ones.
FitAt fitAtOf(const BenchmarkTimes &of);

// Fits a model to the times. A plane takes its slopes from all I that have two P_NZ. Fails with
// badInput, naming the numbers, if a time is not positive and finite or a matrix appears twice.
// Also fails if a line has fewer than two matrices, or lacks the one at which it crosses the other
// line. Fails with badCall for HYB, whose parts are measured instead, and if lines would cross
// outside their regime.
llvm::Expected<Fitted> fitBenchmarks(const BenchmarkTimes &of, const FitAt &at);
inline llvm::Expected<Fitted> fitBenchmarks(const BenchmarkTimes &of) {
  return fitBenchmarks(of, fitAtOf(of));
}

} // namespace specmv
