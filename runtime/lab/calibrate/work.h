// The matrices that calibrate a GPU's model, and the model that is made of measurements.
#pragma once

#include "models/gpu.h"
#include "models/gpus/write.h"
#include "models/lab/strips/fit.h"
#include "runtime/lab/evaluate/fit.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/plan/request.h"

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// --- Work ----------------------------------------------------------------------------------------

// Lists the matrices that calibrate a GPU's model: many families for ours, and the benchmark
// matrices of the strips and statistics papers.

// A matrix, and the plans to measure on it.
struct CalibrationItem {
  std::string spec;
  std::vector<std::string> formats = {}; // empty: all formats that may be chosen
  Fixed fixed = {};
  int64_t entries = 0; // of a benchmark matrix, in the mean; 0 for a family
  bool operator==(const CalibrationItem &) const = default;
};

// The extent of the papers' benchmark matrices: as far as the fitted lines are straight, or all
// that the papers print, with the crossings of their lines where the papers have them.
enum class PapersGrid : uint8_t { lines, full };

// Returns the families first, so that a time limit cuts off benchmark matrices only. Includes the
// papers' matrices that are on the fitted lines and have at most this many entries. Without the
// full grid, they may have four times as many if rows must have more than 1,024, and those lines
// have one strip. The full grid is in the order of its entries, so that an interrupted one has all
// smaller matrices.
std::vector<CalibrationItem> calibrationWork(const GpuModel &gpu, int64_t mostEntries,
                                             PapersGrid grid = PapersGrid::lines);

// Returns every count-th item from `index` on, so that all parts take about equally long.
std::vector<CalibrationItem> partOf(llvm::ArrayRef<CalibrationItem> items, int64_t index,
                                    int64_t count);

// Returns the item's formats, or else all that may be chosen. They must be requested by name: other
// requests leave out formats that were not measured on this GPU, which would then never be.
std::vector<std::string> formatsToMeasure(const CalibrationItem &item);

// Finds the times of the papers' kernels in measurements, for each kernel, law and type. A matrix
// is recognized by its name alone.
std::vector<BenchmarkTimes> benchmarkTimes(llvm::ArrayRef<Measured> all, const GpuModel &gpu);

// --- Model ---------------------------------------------------------------------------------------

// Makes a GPU's model from measurements of it.

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
