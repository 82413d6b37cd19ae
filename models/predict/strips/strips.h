// The models of strips (Guo and Wang, "Accurate CUDA performance modeling for sparse matrix-vector
// multiplication", 2012) and of statistics (Wang, Gu and Li, "Performance prediction based on
// statistics of sparse matrix-vector multiplication on GPUs", 2017). A strip is the number of rows
// (COO: entries) that the GPU works on at a time. The time of a product depends on the number of
// strips and on one number of entries per row, through lines fitted to the times of benchmark
// matrices on the same GPU. The second paper uses the method of the first with other benchmark
// matrices and kernels.
#pragma once

#include "models/gpu.h"
#include "models/plan.h"
#include "models/predict/strips/kernels.h"
#include "models/profile/profile.h"

#include <optional>

namespace specmv {

// The reading of the papers:
// - asPrinted: reproduces the strips paper's numbers
// - corrected: in III-F.2, step 2, of strips, g(Y) = e(Y) - f(Y) x1, as in its own step 1 and in
// the
//   statistics paper (3.2.2); the paper prints f(Y) Y
// - unrounded: corrected, with I = N / S not rounded up. The statistics paper itself names the
//   rounding as the likely reason why almost all of its estimates are too long (section 4). Its GPU
//   had strips of some thousand rows; if a strip has 270,336 rows, most matrices are rounded up to
//   one strip, which changes the time by a factor.
enum class StripsVariant { asPrinted, corrected, unrounded };
constexpr StripsVariant kStripsVariants[] = {StripsVariant::asPrinted, StripsVariant::corrected,
                                             StripsVariant::unrounded};
const char *nameOf(StripsVariant variant); // as in JSON: "asPrinted"

// How a time is read from the papers. Without a law, each kernel takes the one that its paper finds
// the most accurate, as far as the GPU has its benchmarks. The strips paper knows only fixed
// lengths, which a law does not change.
struct StripsReading {
  StripsVariant variant = StripsVariant::corrected;
  std::optional<RowLaw> law = {};
};

// The properties of a matrix that the models use.
struct StripsTarget {
  Count rows = 0, entries = 0;    // N_R, N_NZ
  Count mode = 0, longest = 0;    // of the row lengths
  Count hybK = 0, hybEntries = 0; // HYB's threshold, and the entries of its COO part
};
StripsTarget stripsTarget(const SparsityProfile &p);

// The HYB threshold of the strips paper's reference 1 (Bell and Garland): the largest length that
// at least max(4096, N / 3) rows reach, otherwise 0. The libraries that the papers compare with
// choose this K automatically.
int64_t hybThresholdOfRowShare(const SparsityProfile &p);

// I of a matrix with `amount` rows (COO: entries).
double stripsOf(StripsKernel kernel, const GpuModel &gpu, Count amount, StripsVariant variant);

// Microseconds by the formula, for X entries per row (ignored for COO) and Y strips. Far from the
// benchmark matrices, a fitted line can be below 0.
double stripsFormula(const Fitted &fitted, double x, double y, StripsVariant variant);

// Microseconds of a kernel. nullopt if the GPU has no benchmarks of the kernel, type and law, or if
// a line gives no positive time because the matrix is too far from the benchmark matrices.
std::optional<double> stripsUs(StripsKernel kernel, const StripsTarget &target, const GpuModel &gpu,
                               ValueType type, const StripsReading &reading);
inline std::optional<double> stripsUs(StripsKernel kernel, const StripsTarget &target,
                                      const GpuModel &gpu, ValueType type, StripsVariant variant) {
  return stripsUs(kernel, target, gpu, type, StripsReading{variant});
}

// The time of a plan by each paper that models its kernel.
struct StripsPrediction {
  std::optional<double> strips, statistics;
};
StripsPrediction stripsPrediction(const Plan &plan, const StripsTarget &target, const GpuModel &gpu,
                                  ValueType type, const StripsReading &reading = {});

// The law of the benchmark matrices that price a kernel; nullopt if the GPU has no benchmarks of
// it.
std::optional<RowLaw> stripsLaw(StripsKernel kernel, const GpuModel &gpu, ValueType type);

} // namespace specmv
