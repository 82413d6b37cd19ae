// Makes a GPU's model from what was measured on it.
#pragma once

#include "models/gpus/write.h"
#include "runtime/lab/evaluate/fit.h"

namespace specmv {

// The model with the numbers that the curves tell: the rate of a copy, and from one launch to the
// next. Where a model has curves, a fit leaves these as they are.
GpuModel withCurves(GpuModel gpu, const Curves &curves);
std::vector<std::string> namesSetBy(const std::optional<Curves> &curves);

struct Calibrated {
  GpuChanges changes;
  std::vector<std::string> notes = {}; // what could not be fitted, and why
  FitResult fit = {};
};

// The papers' models, of the kernels whose benchmark matrices were measured; nullopt if there are
// none.
std::optional<Benchmarks> fittedBenchmarks(llvm::ArrayRef<Measured> all, const GpuModel &gpu,
                                           const std::string &source,
                                           std::vector<std::string> &notes);

// Fits our model, and those of the papers as far as their benchmark matrices were measured.
// `source` is what each number's source will be. Without curves those of `start` hold, if it has
// any.
Calibrated calibrated(llvm::ArrayRef<Measured> all, const GpuModel &start,
                      const std::string &source, const std::optional<Curves> &curves = {});

} // namespace specmv
