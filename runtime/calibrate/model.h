// Makes a GPU's model from what was measured on it.
#pragma once

#include "models/gpus/write.h"
#include "runtime/evaluate/fit.h"

namespace specmv {

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
// `source` is what each number's source will be.
Calibrated calibrated(llvm::ArrayRef<Measured> all, const GpuModel &start,
                      const std::string &source);

} // namespace specmv
