// Defines the loss of a fit: the errors of plans, with the weights of plans and errors.
#pragma once

#include "runtime/lab/evaluate/measured.h"

#include "llvm/ADT/ArrayRef.h"

#include <utility>
#include <vector>

namespace specmv {

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

} // namespace specmv
