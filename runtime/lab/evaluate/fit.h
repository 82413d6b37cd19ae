// Fits the numbers of a GPU's model to measurements on that GPU: the knobs, the loss, and the
// steps.
#pragma once

#include "models/gpu.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/evaluate/score.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// --- Knobs ---------------------------------------------------------------------------------------

// Lists the numbers of a GPU's model that a fit may move, with their bounds and expected distances.

// Lists the members of a model that a fit moves besides its rates, with their names.
llvm::ArrayRef<std::pair<const char *, double GpuModel::*>> fittedMembers();

// All numbers but `start` refer to the logarithm of the value divided by the start.
struct Knob {
  std::string name;
  double GpuModel::*member = nullptr; // null: a rate
  double start = 0;
  double least = 0, most = 0;
  double sigma = 0; // its expected distance, as a standard deviation

  void set(GpuModel &gpu, double moved) const;
};

// Leaves out the numbers in `left`, those that are 0, and rates that no slope fits (models/rate.h).
std::vector<Knob> knobsOf(const GpuModel &gpu, const std::vector<std::string> &left);

// Returns the start with all knobs moved this far.
GpuModel movedBy(GpuModel start, llvm::ArrayRef<Knob> knobs, llvm::ArrayRef<double> moved);

// --- Loss ----------------------------------------------------------------------------------------

// Defines the loss of a fit: the errors of plans, with the weights of plans and errors.

// A plan of ours with a time of it, which has a weight in the fit.
struct FitPlan {
  const Measured *measured;
  const Plan *plan;
  double us;
  double weight; // 1 on average
  bool isReplay = false;
};

// Returns the plans of all matrices that a fit may use. Plans of one matrix are adjacent. A plan
// that was also timed by replays is there twice, and each of its times has half of the weight.
std::vector<FitPlan> plansToFit(llvm::ArrayRef<const Measured *> all);

// Grows with the square of an error's logarithm while that is small, and linearly beyond 10
// percent.
double lossOf(double error);
// Returns the weight with which the square has the slope of that loss (Huber, iteratively
// reweighted).
double squareWeightOf(double error);

// --- Least squares -------------------------------------------------------------------------------

// Computes a step of Levenberg and Marquardt: the minimum of weighted squares, by their slopes.

// Non-zero slopes, in ascending order of the unknowns.
using SparseRow = std::vector<std::pair<size_t, double>>;

// The loss near a point: half of the gradient and half of the curvature.
class NormalEquations {
public:
  explicit NormalEquations(size_t unknowns)
      : gradient_(unknowns), curvature_(unknowns * unknowns) {}

  // Adds a weighted square of `error`.
  void add(const SparseRow &slopes, double error, double weight);
  void add(size_t unknown, double error, double weight); // the unknown's slope is 1, others are 0
  // Fixes the unknown.
  void hold(size_t unknown);

  double gradient(size_t unknown) const { return gradient_[unknown]; }

  // Solves for a zero gradient, with the diagonal multiplied by 1 + damping; nullopt if the
  // curvature is not positive in all directions.
  std::optional<std::vector<double>> step(double damping) const;

private:
  double &at(size_t i, size_t j) { return curvature_[i * gradient_.size() + j]; }

  std::vector<double> gradient_;
  std::vector<double> curvature_; // the lower triangle
};

// --- Fit -----------------------------------------------------------------------------------------

// Fits the numbers of a GPU's model to measurements on that GPU.

struct FitOptions {
  int rounds = 30; // at most; it stops when the loss falls by less than 0.3 per mille
  // Regularizes numbers that few plans determine: the cost of moving a number's logarithm from the
  // start by its expected distance. A plan's error of 10 percent costs 0.01, on average.
  double pull = 0.03;
  std::vector<std::string> left = {}; // numbers not to move: "periodUs", "csr5.tilePasses"
};

struct FitResult {
  GpuModel model = {};
  std::vector<std::string> moved = {};  // the numbers that changed: "chainNs", "csr5.tilePasses"
  double lossBefore = 0, lossAfter = 0; // including the cost of the moves
};

// Moves the numbers of our model together, since they compensate for each other, as long as the
// predictions get closer to the times; then finds the cautions (score.h). Each number
// stays between a third of its start and three times its start (some between a tenth and ten
// times). Plans that would never be chosen count less, and so do the plans of a matrix with many.
// The fit leaves alone the numbers of the data sheet, the rate of a copy (which is measured
// separately), the numbers that the options name, counts of passes, and numbers that do not
// influence the predictions of our plans. Matrices of unseen families (isKeptFromFits()) have no
// influence. The result does not depend on the number of cores.
FitResult fit(llvm::ArrayRef<const Measured *> all, const GpuModel &start,
              const FitOptions &options = {});

// Judges each matrix by a model fitted to the other families alone, which shows what to expect of
// unknown matrices. A matrix of an unseen family is judged by a fit to all others that are not. In
// the order of `all`, which must outlive the result.
std::vector<Judged> judgeLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &start,
                                 Candidates candidates, const FitOptions &options = {});

} // namespace specmv
