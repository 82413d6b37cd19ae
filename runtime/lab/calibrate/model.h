// Makes a GPU's model from measurements of it.
#pragma once

#include "models/gpus/write.h"
#include "runtime/lab/evaluate/fit.h"

namespace specmv {

// Returns the model with the numbers that the curves determine: the rate of a copy, and the time
// from one launch to the next. A fit does not change these if the model has curves.
GpuModel withCurves(GpuModel gpu, const Curves &curves);
std::vector<std::string> namesSetBy(const std::optional<Curves> &curves);

struct Calibrated {
  GpuChanges changes;
  std::vector<std::string> notes = {}; // what was not fitted, and why
  FitResult fit = {};
};

// Fits the papers' models, for kernels whose benchmark matrices were measured; nullopt if none
// were.
std::optional<Benchmarks> fittedBenchmarks(llvm::ArrayRef<Measured> all, const GpuModel &gpu,
                                           const std::string &source,
                                           std::vector<std::string> &notes);

// Fits our model, and those of the papers as far as their benchmark matrices were measured.
// `source` becomes the source of each number. Without new curves, those of `start` are kept.
Calibrated calibrated(llvm::ArrayRef<Measured> all, const GpuModel &start,
                      const std::string &source, const std::optional<Curves> &curves = {});

} // namespace specmv
