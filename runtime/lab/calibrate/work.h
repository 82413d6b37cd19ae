// What is measured on a GPU to calibrate its model: matrices of many families for ours, and the
// benchmark matrices of the strips and statistics papers.
#pragma once

#include "models/gpu.h"
#include "models/lab/strips/fit.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/request.h"

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// A matrix with the plans to measure of it.
struct CalibrationItem {
  std::string spec;
  std::vector<std::string> formats = {}; // empty: all that may be chosen
  Fixed fixed = {};
  bool operator==(const CalibrationItem &) const = default;
};

// The families come first, so that what a limit of time cuts off are benchmark matrices.
// Of the papers' matrices those on the lines that are fitted, with at most so many entries, or four
// times as many where rows must have more than 1,024.
std::vector<CalibrationItem> calibrationWork(const GpuModel &gpu, int64_t mostEntries);

// The times of the papers' kernels in what was measured: of each kernel, law and type, if there are
// any. A matrix is recognized by its name, whoever measured it.
std::vector<BenchmarkTimes> benchmarkTimes(llvm::ArrayRef<Measured> all, const GpuModel &gpu);

} // namespace specmv
